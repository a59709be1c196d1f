#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Conv(x, w, b?) {strides=[2,2]}                            x: f[N,C,H,W]   w: f[M,C,h,w]
// After:   Conv(SpaceToDepth(x) {blocksize=2}, w', b?) {pads'}       w': f[M,4C,ceil((h+s)/2),ceil((w+t)/2)]
//
//          w'[m, (2i+j)*C + c, p, q] = w[m, c, 2p+i-s, 2q+j-t], 0 outside of w
//          w'[m, (2i+j)*C + c, p, q] = w[m, c, 2p+i-s, 2q+j-t], 0 outside of w
//          s is 1 if the padding before H is odd, else 0; likewise t for W. pads' is that padding in blocks; at the end
//          it is the number that keeps the extents of the result
//
// C is less than 4. H and W are known and even. group and dilations are 1, no pad is negative, and the window fits. x
// is not dequantized: a runtime may fuse such a DequantizeLinear with the Conv. w is constant, and M*C*h*w is at least
// 1500: for less, SpaceToDepth costs what the Conv gains. For runtimes whose integer kernels need more channels than an
// image has: four times as many fill vectors.
extern const RuleView image_conv_to_depth;

}  // namespace graft::inline v1
