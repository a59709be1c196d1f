#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// One term of an Einsum equation: letters, and the position of "..." among them.
struct EinsumTerm {
  std::string letters;
  std::optional<std::size_t> ellipsis;

  /// Parses a term; nullopt if it contains other characters.
  static std::optional<EinsumTerm> parse(std::string_view text) {
    EinsumTerm term;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == ' ') continue;
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        term.letters += c;
      } else if (text.substr(i, 3) == "..." && !term.ellipsis) {
        term.ellipsis = term.letters.size();
        i += 2;
      } else {
        return std::nullopt;
      }
    }
    return term;
  }
};

/// Einsum. Each letter is one extent; the axes of "..." broadcast. Without "->", the output has the letters that occur
/// once, in alphabetical order.
inline Verdict einsum(InferContext& c) {
  const std::string_view equation = c.attr<std::string_view>("equation").value_or("");
  const std::size_t arrow = equation.find("->");
  std::string_view operands = equation.substr(0, arrow);
  std::array<Dim, 128> extents{};
  std::array<int, 128> counts{};
  Shape batch{std::vector<Dim>()};
  bool batched = false;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    const std::size_t comma = operands.find(',');
    const auto term = EinsumTerm::parse(operands.substr(0, comma));
    if (!term || (comma == std::string_view::npos) != (i + 1 == c.input_count())) {
      return Verdict::no("the equation does not fit the inputs");
    }
    operands.remove_prefix(comma == std::string_view::npos ? operands.size() : comma + 1);
    for (const char letter : term->letters) ++counts[static_cast<std::size_t>(letter)];
    batched |= term->ellipsis.has_value();
    const Shape x = c.shape(i);
    if (!x.known()) {
      if (term->ellipsis) batch = Shape();
      continue;
    }
    if (x.rank() < term->letters.size() || (!term->ellipsis && x.rank() > term->letters.size())) {
      return Verdict::no("a term of the equation does not fit the rank of its input");
    }
    const std::size_t covered = x.rank() - term->letters.size();
    std::vector<Dim> hidden;
    for (std::size_t axis = 0, letter = 0; axis < x.rank(); ++axis) {
      if (term->ellipsis && axis >= *term->ellipsis && axis < *term->ellipsis + covered) {
        hidden.push_back(x[axis]);
        continue;
      }
      Dim& extent = extents[static_cast<std::size_t>(term->letters[letter++])];
      const auto joined = broadcast(extent == Dim() ? x[axis] : extent, x[axis]);
      if (!joined) return Verdict::no("a letter stands for different extents");
      extent = *joined;
    }
    const auto joined = broadcast(batch, Shape(std::move(hidden)));
    if (!joined) return Verdict::no("the axes of the ellipses do not broadcast");
    batch = *joined;
  }
  EinsumTerm result;
  if (arrow != std::string_view::npos) {
    auto parsed = EinsumTerm::parse(equation.substr(arrow + 2));
    if (!parsed) return Verdict::no("the equation is malformed");
    result = std::move(*parsed);
  } else {
    if (batched) result.ellipsis = 0;
    for (std::size_t letter = 0; letter < counts.size(); ++letter) {
      if (counts[letter] == 1) result.letters += static_cast<char>(letter);
    }
  }
  if (result.ellipsis && !batch.known()) return Verdict::yes();
  std::vector<Dim> out;
  for (const char letter : result.letters) out.push_back(extents[static_cast<std::size_t>(letter)]);
  if (result.ellipsis) {
    const std::vector<Dim> hidden = to_dims(batch);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(*result.ellipsis), hidden.begin(), hidden.end());
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
