#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1::detail {

/// Whether the replacement of one rule, by itself, contains the pattern of another.
enum class Overlap { no, maybe, certain };

constexpr Overlap both(Overlap a, Overlap b) { return std::min(a, b); }

/// Matches a pattern against the rows of a replacement. Values that the replacement takes from the graph are opaque: no
/// operator of the pattern matches them.
class Overlay {
 public:
  Overlay(const RuleView& builder, const RuleView& seeker)
      : builder_(builder), built_(builder.after), wanted_(seeker.before) {}

  /// The best fit at any operator that the replacement builds.
  Overlap find() const {
    Overlap best = Overlap::no;
    for (std::size_t at = 0; at < built_.nodes.size(); ++at)
      if (built_.nodes[at].step == Step::op) best = std::max(best, fit(0, at));
    return wanted_.checks.empty() ? best : both(best, Overlap::maybe);
  }

 private:
  /// Matches one row. Recursive to the depth of patterns.
  Overlap fit(std::size_t wanted, std::size_t built) const {
    const PatternNode& want = wanted_.nodes[wanted];
    const PatternNode& made = built_.nodes[built];
    if (made.step == Step::opt) return both(fit(wanted, built + 1), Overlap::maybe);
    const bool is_new_constant = made.step == Step::computed || made.step == Step::folded ||
                                 made.step == Step::scalar || made.step == Step::ints;
    switch (want.step) {
      case Step::value: return want.attr_count == 0 ? Overlap::certain : Overlap::maybe;
      case Step::constant: {
        if (made.step != Step::constant && !is_new_constant) return Overlap::no;
        return want.attr_count == 0 ? Overlap::certain : Overlap::maybe;
      }
      case Step::opt: return fit(wanted + 1, built);
      case Step::either:
        return std::max(fit(wanted + 1, built), fit(wanted_.nodes[wanted + 1].end + std::size_t{1}, built));
      case Step::chain: return both(fit(wanted + 1, built), Overlap::maybe);
      case Step::op: return made.step == Step::op ? fit_operator(wanted, built) : Overlap::no;
      case Step::output: return made.step == Step::op || made.step == Step::output ? Overlap::maybe : Overlap::no;
      default: return Overlap::no;
    }
  }

  Overlap fit_operator(std::size_t wanted, std::size_t built) const {
    const PatternNode& want = wanted_.nodes[wanted];
    const PatternNode& made = built_.nodes[built];
    if (want.out != made.out || !may_be(want.op, names_of(made))) return Overlap::no;
    const bool is_exact = want.op == names_of(made) && want.since == 0 && want.before == 0xffff && made.like < 0;
    const Overlap here = both(is_exact ? Overlap::certain : Overlap::maybe, fit_attributes(want, made));
    if (here == Overlap::no) return here;
    const Overlap straight = both(here, fit_operands(wanted, built, false));
    return want.commutative ? std::max(straight, both(here, fit_operands(wanted, built, true))) : straight;
  }

  Overlap fit_operands(std::size_t wanted, std::size_t built, bool swapped) const {
    const PatternNode& want = wanted_.nodes[wanted];
    const PatternNode& made = built_.nodes[built];
    const auto is_list = [](const PatternNode& row) { return row.step == Step::rest || row.step == Step::each; };
    Overlap result = Overlap::certain;
    std::size_t w = wanted + 1, m = built + 1;
    if (swapped && w < want.end) w = wanted_.nodes[w].end;
    for (std::size_t k = 0;; ++k) {
      const bool has_want = swapped ? k < 2 : w < want.end, has_made = m < made.end;
      if (!has_want && !has_made) return result;
      if ((has_want && is_list(wanted_.nodes[w])) || (has_made && is_list(built_.nodes[m])))
        return both(result, Overlap::maybe);
      if (!has_made) {
        // An optional operand may be absent.
        for (; w < want.end; w = wanted_.nodes[w].end)
          if (wanted_.nodes[w].step != Step::opt && wanted_.nodes[w].step != Step::none) return Overlap::no;
        return result;
      }
      if (!has_want) {
        const bool may_be_absent = built_.nodes[m].step == Step::opt || built_.nodes[m].step == Step::none;
        return may_be_absent ? both(result, Overlap::maybe) : Overlap::no;
      }
      result = both(result, fit(w, m));
      if (result == Overlap::no) return result;
      w = swapped && k == 0 ? wanted + 1 : wanted_.nodes[w].end;
      m = built_.nodes[m].end;
    }
  }

  Overlap fit_attributes(const PatternNode& want, const PatternNode& made) const {
    Overlap result = made.attr_count == 0 && want.attr_count == 0 ? Overlap::certain : Overlap::maybe;
    for (const PatternAttr& wish : wanted_.attrs.subspan(want.attr0, want.attr_count)) {
      if (wish.mode != AttrMode::equals) continue;
      for (const PatternAttr& given : built_.attrs.subspan(made.attr0, made.attr_count)) {
        if (given.name != wish.name || given.mode != AttrMode::assign) continue;
        const auto a = wanted_.words.subspan(wish.word0, wish.word_count);
        const auto b = built_.words.subspan(given.word0, given.word_count);
        const bool is_same = wish.literal.i == given.literal.i && !(wish.literal.f < given.literal.f) &&
                             !(given.literal.f < wish.literal.f) && wish.literal.s == given.literal.s &&
                             std::equal(a.begin(), a.end(), b.begin(), b.end());
        if (!is_same) result = Overlap::no;
      }
    }
    return result;
  }

  /// The possible operators of a built row. A rebuilt captured node has those of its capture.
  std::string_view names_of(const PatternNode& made) const {
    if (!made.op.empty() || made.like < 0) return made.op;
    for (const PatternNode& row : builder_.before.nodes)
      if ((row.step == Step::op || row.step == Step::chain) && row.slot == made.like) return row.op;
    return {};
  }

  /// Whether two lists of names, joined by '|', share a name. An empty list means any name.
  static bool may_be(std::string_view wanted, std::string_view built) {
    if (wanted.empty() || built.empty()) return true;
    for (std::string_view left = wanted; !left.empty();) {
      const std::string_view name = next(left);
      for (std::string_view right = built; !right.empty();)
        if (next(right) == name) return true;
    }
    return false;
  }
  static std::string_view next(std::string_view& names) {
    const std::size_t bar = names.find('|');
    const std::string_view name = names.substr(0, bar);
    names = bar == std::string_view::npos ? std::string_view() : names.substr(bar + 1);
    return name;
  }

  const RuleView& builder_;
  RulePattern built_, wanted_;
};

}  // namespace graft::inline v1::detail
