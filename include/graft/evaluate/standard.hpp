#pragma once

#ifndef GRAFT_COMPILED
#include <graft/evaluate/standard.ipp>
#endif
