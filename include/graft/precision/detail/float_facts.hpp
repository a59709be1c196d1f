#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/precision/detail/float_types.hpp>
#include <graft/precision/float_options.hpp>

namespace graft::inline v1::detail {

/// The range of a 16-bit float type.
struct FloatRange {
  double largest, smallest_normal, smallest;

  static constexpr FloatRange of(DType dtype) {
    return dtype == DType::f16 ? FloatRange{65504, 0x1p-14, 0x1p-24} : FloatRange{0x1.FEp127, 0x1p-126, 0x1p-133};
  }
};

inline constexpr std::string_view small_scale_reason = "scale below normal numbers";

/// Whether the node quantizes or dequantizes by scales that are inputs. It may as well read these in float32.
bool has_float_scales(const Node& node);
/// Whether scales of the 16-bit dtype are exact enough, and a version of the node's operator takes them.
bool takes_scales_of(const Node& node, DType dtype);

/// Finds the nodes of a model that must stay in float32, and why. Nodes come in topological order, bodies after their
/// nodes.
class FloatFacts {
 public:
  FloatFacts(const FloatOptions& options, DType to)
      : options_(&options),
        to_(to),
        range_(FloatRange::of(to)),
        operators_(options.keep_operators.begin(), options.keep_operators.end()) {}

  /// The reason why the node stays in float32; empty if nothing speaks against the conversion.
  std::string_view why_kept(const Node& node);
  /// The same for a constant that a body returns as `result`, or the main graph if that is nullptr.
  std::string_view why_returned(const Value& constant, const Value* result);

 private:
  struct Contents {
    bool is_large = false;     // a finite element would become infinite
    bool is_vanishing = false;  // too many elements would become 0
    bool is_denormal = false;   // an element is smaller than normal numbers
  };
  const Contents& contents(const Value& constant);
  Contents contents(const Tensor& tensor) const;
  bool is_counted(const Node& node) const;
  bool carries_large(const Node& node);
  bool carries_vanishing(const Node& node);
  bool fills(const Node& node, bool Contents::*property) const;
  bool sums_long(const Node& node) const;
  /// The reason why the node stays, whatever becomes of others.
  std::string_view why_kept_alone(const Node& node);

  const FloatOptions* options_;
  DType to_;
  FloatRange range_;
  std::unordered_set<std::string> operators_;  // that stay
  std::unordered_map<const Value*, Contents> contents_;
  std::unordered_set<const Value*> counted_;      // computed from integers alone
  std::unordered_set<const Value*> large_;        // may hold the elements of a large constant
  std::unordered_set<const Value*> vanishing_;    // hold elements of a constant that vanishes
  std::unordered_set<const Value*> dequantized_;  // by a node that stays
};

}  // namespace graft::inline v1::detail
