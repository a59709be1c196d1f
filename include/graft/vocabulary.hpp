#pragma once
#define GRAFT_UMBRELLA
#include <graft/rewrite.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/attention_scores.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/channel_front.hpp>
#include <graft/vocabulary/clips.hpp>
#include <graft/vocabulary/gelu_factor.hpp>
#include <graft/vocabulary/hidden_rows.hpp>
#include <graft/vocabulary/near_conv.hpp>
#include <graft/vocabulary/non_negative.hpp>
#include <graft/vocabulary/over_root.hpp>
#include <graft/vocabulary/pads.hpp>
#include <graft/vocabulary/reshaping.hpp>
#include <graft/vocabulary/short_mask.hpp>
#include <graft/vocabulary/slice_range.hpp>
#include <graft/vocabulary/weighted.hpp>

#ifndef GRAFT_COMPILED
#include <graft/vocabulary/src.hpp>
#endif
