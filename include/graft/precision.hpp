#pragma once
#define GRAFT_UMBRELLA
#include <graft/precision/convert_floats.hpp>
#include <graft/precision/float_options.hpp>
#include <graft/precision/float_target.hpp>
#include <graft/rewrite.hpp>

#ifndef GRAFT_COMPILED
#include <graft/precision/src.hpp>
#endif
