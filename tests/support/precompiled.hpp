#pragma once
// The large third-party headers that nearly every test includes, parsed once.
#include <Eigen/Core>
#include <catch2/catch.hpp>
#include <graft/graph/onnx.hpp>
