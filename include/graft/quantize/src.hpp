#pragma once
// The bodies of quantize/, for header-only use and for one unit of a compiled library.
#include <graft/precision.hpp>
#include <graft/transformer.hpp>

#include <graft/quantize/audit/src.hpp>
#include <graft/quantize/cache/src.hpp>
#include <graft/quantize/calibrate/src.hpp>
#include <graft/quantize/detail/src.hpp>
#include <graft/quantize/dynamic/src.hpp>
#include <graft/quantize/kernel/src.hpp>
#include <graft/quantize/place/src.hpp>
#include <graft/quantize/prepare/src.hpp>
#include <graft/quantize/run/src.hpp>
#include <graft/quantize/target/src.hpp>
#include <graft/quantize/tune/src.hpp>
#include <graft/quantize/weights/src.hpp>
