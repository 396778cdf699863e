/* Tests whether bindgen can use a libclang: it can be loaded, and reads C with its
 * own headers (stddef.h) and with the C library's.
 *
 * usage: libclang FILE [ARGUMENT OF CLANG…] */

#include <dlfcn.h>
#include <stdio.h>

struct text { const void *data; unsigned flags; };
struct unsaved { const char *name, *contents; unsigned long length; };

static const char program[] = "#include <stddef.h>\n#include <stdarg.h>\n#include <stdio.h>\n";

int main(int count, char **words)
{
	void *library = count > 1 ? dlopen(words[1], RTLD_LAZY) : NULL;
	if (!library) {
		fprintf(stderr, "%s\n", count > 1 ? dlerror() : "which libclang?");
		return 1;
	}
	void *(*create_index)(int, int) = dlsym(library, "clang_createIndex");
	void *(*parse)(void *, const char *, const char *const *, int, struct unsaved *, unsigned, unsigned) =
		dlsym(library, "clang_parseTranslationUnit");
	unsigned (*count_diagnostics)(void *) = dlsym(library, "clang_getNumDiagnostics");
	void *(*diagnostic)(void *, unsigned) = dlsym(library, "clang_getDiagnostic");
	int (*severity)(void *) = dlsym(library, "clang_getDiagnosticSeverity");
	struct text (*spelling)(void *) = dlsym(library, "clang_getDiagnosticSpelling");
	const char *(*characters)(struct text) = dlsym(library, "clang_getCString");
	if (!create_index || !parse || !count_diagnostics || !diagnostic || !severity || !spelling || !characters) {
		fprintf(stderr, "%s is no libclang\n", words[1]);
		return 1;
	}

	struct unsaved file = { "probe.h", program, sizeof program - 1 };
	void *unit = parse(create_index(0, 0), file.name, (const char *const *) words + 2, count - 2, &file, 1, 0);
	if (!unit) {
		fprintf(stderr, "%s reads no C\n", words[1]);
		return 1;
	}
	for (unsigned i = 0; i < count_diagnostics(unit); i++) {
		void *found = diagnostic(unit, i);
		/* An error or a fatal error. */
		if (severity(found) >= 3) {
			fprintf(stderr, "%s: %s\n", words[1], characters(spelling(found)));
			return 1;
		}
	}
	return 0;
}
