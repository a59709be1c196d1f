#pragma once
// The bodies of quantize/kernel/.
#include <graft/quantize/kernel/activation.ipp>
#include <graft/quantize/kernel/bounds.ipp>
#include <graft/quantize/kernel/carried_pairs.ipp>
#include <graft/quantize/kernel/channels.ipp>
#include <graft/quantize/kernel/condition.ipp>
#include <graft/quantize/kernel/conditions.ipp>
#include <graft/quantize/kernel/deferral.ipp>
#include <graft/quantize/kernel/inside.ipp>
#include <graft/quantize/kernel/integer_form.ipp>
#include <graft/quantize/kernel/integer_kernel.ipp>
#include <graft/quantize/kernel/kernel_work.ipp>
#include <graft/quantize/kernel/outcome.ipp>
#include <graft/quantize/kernel/quantizable.ipp>
#include <graft/quantize/kernel/release.ipp>
