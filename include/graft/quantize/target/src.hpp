#pragma once
// The bodies of quantize/target/.
#include <graft/quantize/target/exclude_nodes.ipp>
#include <graft/quantize/target/fit_kernel_cost.ipp>
#include <graft/quantize/target/joint_target.ipp>
#include <graft/quantize/target/kept_in_float.ipp>
#include <graft/quantize/target/node_reasons.ipp>
#include <graft/quantize/target/ort_cpu_here.ipp>
#include <graft/quantize/target/product_forms.ipp>
#include <graft/quantize/target/target_file.ipp>
#include <graft/quantize/target/targets.ipp>
#include <graft/quantize/target/weight_form.ipp>
#include <graft/quantize/target/weight_forms.ipp>
