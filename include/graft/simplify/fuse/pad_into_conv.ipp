#pragma once
#include <graft/simplify/fuse/pad_into_conv.hpp>

#include <graft/config.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/pads.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto pad_into_conv = rule<"pad-into-conv">(
    op<"Conv">(op<"Pad">(x).with(pads, opt(axes), mode == "constant", opt(pad_value == 0.f)).since(2), right)
        .with(own_pads, auto_pad)
        .as(conv),
    where(explicit_pads(auto_pad, own_pads), spatial_pads(own_pads, pads, axes)),
    conv(x, right).with(own_pads = call<summed_pads>(own_pads, pads, axes), auto_pad = "NOTSET"));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView pad_into_conv = vocabulary::pad_into_conv.view();

}  // namespace graft::inline v1
