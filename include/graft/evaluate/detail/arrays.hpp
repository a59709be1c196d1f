#pragma once
#include <Eigen/Core>

namespace graft::inline v1::standard_kernels::detail {

template <class T>
using ConstArray = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using Array = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;

}  // namespace graft::inline v1::standard_kernels::detail
