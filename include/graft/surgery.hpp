#pragma once
#include <graft/rewrite.hpp>
#include <graft/surgery/freeze_inputs.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/surgery/to_float32.hpp>
#include <graft/surgery/to_inference.hpp>
#include <graft/surgery/unique_node_names.hpp>
