#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  AveragePool(Pad(x, p)) {pads, count_include_pad}
// After:   AveragePool(x) {pads + p, count_include_pad=1}
//
// p is constant, pads spatial axes only, and crops none. The pool has auto_pad NOTSET or VALID, and the default
// ceil_mode and dilations. pads + p is less than the kernel: runtimes reject more, and each window must read x. The Pad
// fills with 0. The pool has no padding of its own, or counts it already.
extern const RuleView pad_into_average_pool;

// Before:  MaxPool(Pad(x, p)) {pads}
// After:   MaxPool(x) {pads + p}
//
// p and the pool are as above, except for the last two conditions. MaxPool ignores its own padding, so the Pad fills
// with a value that is never the largest: -infinity or the lowest number of the dtype. If the producer of x shows that
// no element is below 0, any value up to 0 will do. The indices are unused.
extern const RuleView pad_into_max_pool;

}  // namespace graft::inline v1
