#pragma once
#include <graft/config.hpp>
#ifdef _WIN32
#include <graft/graph/detail/platform_windows.hpp>
#else
#include <graft/graph/detail/platform_posix.hpp>
#endif
