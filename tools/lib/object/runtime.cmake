# The files of runtime/ inside of the command, for --emit=runtime: a C file with
# a table of their names and texts, which the assembler includes.
file(GLOB_RECURSE runtime_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/*.c
	${PROJECT_SOURCE_DIR}/runtime/*.h ${PROJECT_SOURCE_DIR}/runtime/*.def)
set(declarations "")
set(rows "")
set(number 0)
foreach(file IN LISTS runtime_files)
	get_filename_component(name ${file} NAME)
	string(APPEND declarations
		"__asm__(\".pushsection .rodata\\n\"\n"
		"\t\".hidden tool_runtime_text${number}\\n\"\n"
		"\t\".globl tool_runtime_text${number}\\n\"\n"
		"\t\"tool_runtime_text${number}:\\n\"\n"
		"\t\".incbin \\\"${file}\\\"\\n.byte 0\\n.popsection\\n\");\n"
		"extern const char tool_runtime_text${number}[]\n"
		"\t__attribute__((visibility(\"hidden\")));\n")
	string(APPEND rows "\t{ \"${name}\", tool_runtime_text${number} },\n")
	math(EXPR number "${number} + 1")
endforeach()
set(runtime_table ${PROJECT_BINARY_DIR}/runtime_table.c)
file(CONFIGURE OUTPUT ${runtime_table} CONTENT
"#include \"tools/lib/object/runtime.h\"

${declarations}
const struct tool_runtime_file tool_runtime_file[] = {
${rows}	{ 0, 0 }
};
")
set_source_files_properties(${runtime_table} PROPERTIES
	OBJECT_DEPENDS "${runtime_files}")
target_sources(cetane_lib PRIVATE ${runtime_table})
