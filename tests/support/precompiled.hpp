#pragma once
// What nearly every test includes, parsed once.
#include <Eigen/Core>
#include <catch2/catch.hpp>
#include <graft/graft.hpp>
