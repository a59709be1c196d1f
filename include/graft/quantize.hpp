#pragma once
#include <graft/quantize/audit.hpp>
#include <graft/quantize/calibrate.hpp>
#include <graft/quantize/commute.hpp>
#include <graft/quantize/placement.hpp>
#include <graft/quantize/ranges_json.hpp>
#include <graft/quantize/targets.hpp>
#include <graft/quantize/weights.hpp>
