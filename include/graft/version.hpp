#pragma once

/// major * 10000 + minor * 100 + patch. CMake reads its project version from this line.
#define GRAFT_VERSION 100
