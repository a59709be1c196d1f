#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

namespace detail {

template <class C>
inline constexpr bool can_be_lists = [] {
  for (const CaptureId id : C::ids) {
    if (kind_of(id) == Kind::operands || form_of(id) == Form::list) return false;
    if (is_attribute(kind_of(id)) && form_of(id) == Form::maybe) return false;
  }
  return true;
}();

}  // namespace detail

/// Every remaining input of an operator. Captures below become lists with one element per input, nullptr if it is
/// absent. A capture that is also bound outside must be the same for all inputs. In a replacement, it is built once for
/// each element of the lists below it.
template <pattern P>
constexpr auto each(const P& p) {
  static_assert(detail::can_be_lists<typename P::captures>,
                "graft: each(...) makes plain lists: no captured rest<>, chain(...), each(...) or optional attribute "
                "below it");
  using C = typename detail::Listed<typename P::captures>::type;
  detail::Builder<Pattern<P::node_count + 2, P::attr_count, P::word_count, C>> b;
  PatternNode row;
  row.step = Step::each;
  b.add(row);
  b.result.nodes[b.append(p, 0)].same_value = true;
  row.step = Step::again;
  row.parent = 0;
  const std::size_t again = b.add(row);
  b.result.nodes[again].end = static_cast<std::uint16_t>(again + 1);
  return b.finish();
}

}  // namespace graft::inline v1
