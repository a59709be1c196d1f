# graft_quantize_page.hpp: the page for --html, with its style and scripts.
set(folder ${CMAKE_CURRENT_LIST_DIR}/page)
set(scripts elements histogram layout picture table page)
file(READ ${folder}/page.css page_style)
set(page_script "")
foreach(script IN LISTS scripts)
  file(READ ${folder}/${script}.js text)
  string(APPEND page_script "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${script}.js)
endforeach()
set(report "@report@")
file(READ ${folder}/page.html page)
string(CONFIGURE "${page}" page @ONLY)
file(CONFIGURE OUTPUT graft_quantize_page.hpp @ONLY CONTENT [[
#pragma once
inline constexpr const char page_template[] = R"page(@page@)page";
]])
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/page.html ${folder}/page.css)
target_include_directories(graft-quantize PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
