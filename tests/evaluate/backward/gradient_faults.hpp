#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// Compares the gradients of the last node of a model, given as text for graft::graph(), with central differences of
/// its forward kernel in f64. Graph inputs are random in [-1, 1). The gradients must not depend on threads, nor on
/// which others are wanted. Only the first inputs of f32 have one, if their number is given. Returns what differs,
/// or "".
std::string gradient_faults(std::string_view model, std::size_t inputs_with_gradients = 100);
