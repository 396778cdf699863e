#!/usr/bin/env bash
# ci-schemas.sh CHECK FOLDER: the files of packaging/ci by the schemas that GitHub and GitLab
# publish, which check-jsonschema (PyPI) has; and a file of budgets by ours.
set -euo pipefail
check=$1 folder=$2
mkdir -p "$folder"

valid() {
    local file=${!#} broken
    "$check" --quiet "$@"
    echo "$file is valid"
    # A schema that accepts anything proves nothing.
    broken=$folder/broken-$(basename "$file")
    sed 's/^\(runs\|jobs\|scenarios\|  script\):/\1-unknown:/' "$file" >"$broken"
    if "$check" --quiet "${@:1:$#-1}" "$broken" >/dev/null; then
        echo "a broken $file is valid, too" >&2
        return 1
    fi
}

valid --builtin-schema vendor.github-actions packaging/ci/github/action.yml
valid --builtin-schema vendor.github-workflows packaging/ci/github/workflow.yml
# As a job: of hidden ones, whose names begin with a dot, the schema says nothing.
sed 's/^\.xhprof-check:/xhprof-check:/' packaging/ci/gitlab/xhprof.gitlab-ci.yml >"$folder/gitlab.yml"
valid --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci "$folder/gitlab.yml"
valid --schemafile docs/check.schema.json examples/shop/xhprof.yaml
"$check" --quiet --check-metaschema docs/check.schema.json
echo '5 files are as the schemas say'
