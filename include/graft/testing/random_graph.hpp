#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <graft/evaluate/kernels.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// The parts of random graphs.
struct Vocabulary {
  /// Operators such as "Conv", "com.microsoft::Gelu"; if empty, all of random_operators(). Operators of the patterns
  /// are added.
  std::vector<std::string> operators{};
  /// One of them is drawn for each graph.
  std::vector<int> opsets{7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
  /// The dtypes of inputs and constants. A dtype that is listed twice is drawn twice as often.
  std::vector<DType> dtypes{DType::f32, DType::f32, DType::f32,  DType::f32, DType::f32, DType::f16, DType::bf16,
                            DType::f64, DType::i64, DType::i32, DType::u8,  DType::i8,  DType::boolean};
  /// Left sides of rules that most graphs contain, with random surroundings.
  std::vector<RuleView> patterns{};
  bool symbols = true;       // symbolic extents
  bool empty_dims = true;    // extents of 0
  bool bodies = true;        // If and Loop whose bodies read outer values
  bool functions = true;     // local functions
  bool overridable = true;   // initializers that are inputs
  /// Kernels and definitions for operators beyond the standard ones.
  const Kernels* kernels = nullptr;
  Operators definitions{};
};

/// The operators of random graphs if a vocabulary names none: "Conv", "com.microsoft::Gelu".
std::vector<std::string> random_operators();

/// A valid model of about this many nodes, the same for the same seed. Some values have several readers, are read by
/// bodies, or are graph outputs. Operators have random attributes, and operands that fit. Each node was evaluated once
/// and its values are finite, so the graph can be evaluated; with symbolic extents, at most of their sizes. Operators
/// that jump, such as Round, mostly read values that no sum or product has rounded.
Model random_graph(std::uint64_t seed, std::size_t nodes = 10, const Vocabulary& vocabulary = {});

}  // namespace graft::inline v1
