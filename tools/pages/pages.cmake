# The reference as pages of HTML and as manual pages, made from the README files of the
# language and from the comments of public headers when Cetane is built. A build for
# another machine cannot run the program that makes them.
if(CMAKE_CROSSCOMPILING)
	return()
endif()
set(pages ${PROJECT_SOURCE_DIR}/tools/pages)
add_executable(cetane_pages ${pages}/header.c ${pages}/html.c ${pages}/inline.c
	${pages}/markdown.c ${pages}/pages.c ${pages}/roff.c)
target_include_directories(cetane_pages PRIVATE ${PROJECT_SOURCE_DIR})

# The page "path", of the kind html or man, from "source"; the rest are links.
function(cetane_make_page kind path name section what source)
	get_filename_component(folder ${path} DIRECTORY)
	file(MAKE_DIRECTORY ${folder})
	add_custom_command(OUTPUT ${path}
		COMMAND cetane_pages ${kind} ${name} ${section} ${what} ${ARGN}
			${PROJECT_SOURCE_DIR}/${source} > ${path}
		DEPENDS cetane_pages ${PROJECT_SOURCE_DIR}/${source}
			${PROJECT_SOURCE_DIR}/runtime/status.def VERBATIM)
	set_property(GLOBAL APPEND PROPERTY cetane_page_files ${path})
endfunction()

# Both kinds of the page "name"; section 0: HTML alone.
function(cetane_page name section what source)
	set(share ${PROJECT_BINARY_DIR}/share)
	cetane_make_page(html ${share}/html/${name}.html ${name} ${section} ${what}
		${source} ${ARGN})
	install(FILES ${share}/html/${name}.html
		DESTINATION ${CMAKE_INSTALL_DOCDIR}/html)
	if(section)
		cetane_make_page(man ${share}/man/man${section}/${name}.${section}
			${name} ${section} ${what} ${source} ${ARGN})
		install(FILES ${share}/man/man${section}/${name}.${section}
			DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
	endif()
endfunction()

cetane_page(index 0 "a compiler of tensor programs to GPU kernels" tools/pages/index.md)
cetane_page(limits 0 "what Cetane does not do" .github/LIMITS.md)
cetane_page(changelog 0 "what is new" .github/CHANGELOG.md)
cetane_page(cetane-guide 7 "how Cetane is used" tools/pages/guide.md)
cetane_page(cetane-language 7 "the language of Cetane" frontend/README.md
	--link=parallel/README.md=cetane-parallel.html)
cetane_page(cetane-parallel 7 "data-parallel functions of Cetane"
	frontend/parallel/README.md --link=../README.md=cetane-language.html)
cetane_page(cetane-script 7 "schedule scripts of Cetane" polyir/script/README.md
	--link=TUTORIAL.md=cetane-script-tutorial.html)
cetane_page(cetane-script-tutorial 7 "schedule scripts of Cetane, step by step"
	polyir/script/TUTORIAL.md --link=README.md=cetane-script.html)
cetane_page(cetane 3 "the compiler as a library" tools/lib/cetane.h)
cetane_page(cetane_rt 3 "compiled kernels on a GPU or the host device"
	runtime/cetane_rt.h)
cetane_page(cetane_program 3 "what functions of objects call" runtime/program.h)

get_property(page_files GLOBAL PROPERTY cetane_page_files)
add_custom_target(cetane_manual ALL DEPENDS ${page_files})
add_dependencies(cetane_shipped cetane_manual)
