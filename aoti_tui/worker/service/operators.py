"""Which of torch's operators are run for a wrapper: pure computations on tensors, by name.

A wrapper is text from somewhere else, and an operator can open files, load code or move memory to
devices. So it is not torch that says what may run, but this list, made by reading torch's
native_functions.yaml; of a listed name only those overloads run that take tensors and numbers.
"""

from __future__ import annotations

import re
from typing import Any

_POINTWISE = """
abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clip
complex conj conj_physical copysign cos cosh deg2rad digamma div divide elu eq erf erfc erfinv exp
exp2 expm1 fill float_power floor floor_divide fmax fmin fmod frac frexp gcd ge gelu glu greater
greater_equal gt hardshrink hardsigmoid hardswish hardtanh heaviside hypot i0 igamma igammac imag
isclose isfinite isinf isnan isneginf isposinf isreal lcm ldexp le leaky_relu lerp less less_equal
lgamma log log10 log1p log2 log_sigmoid logaddexp logaddexp2 logical_and logical_not logical_or
logical_xor logit lt masked_fill maximum minimum mish mul multiply nan_to_num ne neg negative
nextafter not_equal polar polygamma positive pow prelu _prelu_kernel rad2deg real reciprocal relu
relu6 remainder round rsqrt rsub selu sgn sigmoid sign signbit silu sin sinc sinh softplus
softshrink special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_digamma
special_entr special_erf special_erfc special_erfcx special_erfinv special_exp2 special_expit
special_expm1 special_gammainc special_gammaincc special_gammaln special_i0 special_i0e special_i1
special_i1e special_log1p special_log_ndtr special_logit special_modified_bessel_i0
special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtr
special_ndtri special_polygamma special_psi special_round special_sinc special_xlog1py
special_xlogy special_zeta sqrt square sub subtract tan tanh threshold true_divide trunc where xlogy
zero __and__ __or__ __xor__ __lshift__ __rshift__ __iand__ __ior__ __ixor__ __ilshift__
__irshift__ _conj _neg_view resolve_conj resolve_neg scalar_tensor
"""
_REDUCTIONS = """
all allclose amax amin aminmax any argmax argmin argsort bincount bucketize count_nonzero cummax
cummin cumprod cumsum equal histc kthvalue logcumsumexp logsumexp max mean median min mode msort
nanmean nanmedian nansum norm prod quantile nanquantile searchsorted sort std std_mean sum topk
unique_consecutive unique_dim _unique _unique2 var var_mean trace dist linalg_norm
linalg_vector_norm linalg_matrix_norm softmax _softmax log_softmax _log_softmax _safe_softmax
special_softmax special_log_softmax special_logsumexp _logcumsumexp _cummax_helper _cummin_helper
_is_all_true _is_any_true
"""
_PRODUCTS = """
addbmm addmm addmv addr baddbmm bilinear bmm dot einsum ger inner kron linear matmul mm mv outer
tensordot vdot _int_mm _scaled_mm _addmm_activation _trilinear _weight_int8pack_mm cdist
_cdist_forward pdist cross linalg_cross linalg_matmul linalg_multi_dot linalg_vecdot chain_matmul
matrix_exp matrix_power linalg_matrix_exp linalg_matrix_power _grouped_mm
"""
_FACTORIZATIONS = """
cholesky cholesky_inverse cholesky_solve det inverse linalg_cholesky linalg_cholesky_ex linalg_det
linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv
linalg_inv_ex linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu
linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_matrix_rank linalg_pinv linalg_qr
linalg_slogdet linalg_solve linalg_solve_ex linalg_solve_triangular linalg_svd linalg_svdvals
logdet lu_solve lu_unpack pinverse qr slogdet svd triangular_solve _linalg_det _linalg_eigh
_linalg_slogdet _linalg_solve_ex _linalg_svd geqrf orgqr ormqr
"""
_SHAPES = """
alias alias_copy as_strided as_strided_copy as_strided_scatter broadcast_tensors broadcast_to cat
chunk clone column_stack concat concatenate constant_pad_nd contiguous copy detach detach_copy diag
diag_embed diagflat diagonal diagonal_copy diagonal_scatter dstack expand expand_as expand_copy
fill_diagonal flatten flip fliplr flipud hstack lift_fresh lift_fresh_copy meshgrid moveaxis movedim
narrow narrow_copy pad permute permute_copy ravel repeat repeat_interleave reshape reshape_as roll
rot90 row_stack select select_copy select_scatter slice slice_copy slice_scatter split split_copy
split_with_sizes split_with_sizes_copy squeeze squeeze_copy stack swapaxes swapdims t t_copy
take_along_dim tensor_split tile transpose transpose_copy tril triu tril_indices triu_indices unbind
unbind_copy unflatten unfold unfold_copy unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze
unsqueeze_copy view view_as view_as_complex view_as_real view_copy vstack pixel_shuffle
pixel_unshuffle channel_shuffle native_channel_shuffle reflection_pad1d reflection_pad2d
reflection_pad3d replication_pad1d replication_pad2d replication_pad3d _pad_circular _reshape_alias
_reshape_alias_copy _reshape_copy _unsafe_view _stack _to_copy to type_as im2col col2im
block_diag cartesian_prod combinations diff
"""
_INDEXING = """
argwhere gather index index_add index_copy index_fill index_put index_reduce index_select isin
masked_scatter masked_select nonzero nonzero_static one_hot put scatter scatter_add scatter_reduce
take _unsafe_index _unsafe_index_put _unsafe_masked_index _unsafe_masked_index_put_accumulate
embedding embedding_dense_backward embedding_bag _embedding_bag _embedding_bag_forward_only
_local_scalar_dense item
"""
_MAKING = """
arange empty empty_like empty_permuted empty_strided eye full full_like linspace logspace new_empty
new_empty_strided new_full new_ones new_zeros ones ones_like zeros zeros_like _efficientzerotensor
bernoulli cauchy exponential geometric log_normal multinomial native_dropout normal
normal_functional poisson binomial rand rand_like randint randint_like randn randn_like randperm
uniform _standard_gamma rrelu_with_noise_functional
"""
_LAYERS = """
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
adaptive_max_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d affine_grid_generator avg_pool1d
avg_pool2d avg_pool3d batch_norm conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
conv_transpose3d convolution _convolution _conv_depthwise2d conv_depthwise3d slow_conv_transpose2d
cudnn_convolution cudnn_convolution_relu grid_sampler grid_sampler_2d grid_sampler_3d group_norm
instance_norm layer_norm lstm gru rnn_tanh rnn_relu lstm_cell gru_cell max_pool1d
max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices
native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional
_native_batch_norm_legit_no_training _batch_norm_no_update _batch_norm_with_update
_batch_norm_with_update_functional native_group_norm native_layer_norm rms_norm _fused_rms_norm
scaled_dot_product_attention _scaled_dot_product_attention_math
_scaled_dot_product_flash_attention_for_cpu _weight_norm _weight_norm_interface upsample_bicubic2d
upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d
upsample_trilinear3d _upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d
_upsample_nearest_exact2d _upsample_nearest_exact3d fft_fft fft_fft2 fft_fftn fft_fftshift
fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2
fft_rfftn fft_hfft fft_ihfft _fft_c2c _fft_c2r _fft_r2c stft istft binary_cross_entropy
binary_cross_entropy_with_logits cosine_embedding_loss cosine_similarity cross_entropy_loss
hinge_embedding_loss huber_loss kl_div l1_loss margin_ranking_loss mse_loss multi_margin_loss
multilabel_margin_loss nll_loss nll_loss2d nll_loss2d_forward nll_loss_forward nll_loss_nd
pairwise_distance smooth_l1_loss soft_margin_loss triplet_margin_loss ctc_loss _ctc_loss
"""
_GRADIENTS = """
_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward avg_pool2d_backward avg_pool3d_backward
binary_cross_entropy_backward convolution_backward elu_backward gelu_backward glu_backward
hardshrink_backward hardsigmoid_backward hardswish_backward hardtanh_backward leaky_relu_backward
log_sigmoid_backward _log_softmax_backward_data logit_backward mish_backward mse_loss_backward
native_batch_norm_backward native_dropout_backward native_group_norm_backward
native_layer_norm_backward nll_loss_backward nll_loss2d_backward reflection_pad1d_backward
reflection_pad2d_backward reflection_pad3d_backward replication_pad1d_backward
replication_pad2d_backward replication_pad3d_backward select_backward sigmoid_backward
silu_backward slice_backward smooth_l1_loss_backward _softmax_backward_data softplus_backward
tanh_backward threshold_backward unfold_backward upsample_bicubic2d_backward
upsample_bilinear2d_backward upsample_linear1d_backward upsample_nearest1d_backward
upsample_nearest2d_backward upsample_nearest3d_backward upsample_trilinear3d_backward
_prelu_kernel_backward grid_sampler_2d_backward grid_sampler_3d_backward _cdist_backward
_fused_rms_norm_backward diagonal_backward
"""
_FOREACH = """
abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min copy cos cosh div erf erfc exp expm1
floor frac lerp lgamma log log10 log1p log2 maximum minimum mul neg norm pow reciprocal round rsqrt
sigmoid sign sin sinh sqrt sub tan tanh trunc zero
"""
RUN = frozenset(
    " ".join(
        (
            _POINTWISE,
            _REDUCTIONS,
            _PRODUCTS,
            _FACTORIZATIONS,
            _SHAPES,
            _INDEXING,
            _MAKING,
            _LAYERS,
            _GRADIENTS,
        )
    ).split()
) | {f"_foreach_{name}" for name in _FOREACH.split()}
"""Names of ATen operators; each stands for its in-place form too (`add_`)."""

_NUMBERS = ("int", "float", "bool", "number", "Scalar", "SymInt", "ScalarType")
_ALWAYS_DEFAULT = ("Device", "Generator", "Layout", "MemoryFormat")
_WORD = re.compile(r"[A-Za-z_,.> -]{0,200}")


def is_run(name: str) -> bool:
    """Whether an ATen operator (without its overload) is on the list."""
    return name in RUN or (name.endswith("_") and name[:-1] in RUN)


def takes_tensors_and_numbers(schema: Any) -> bool:
    """Whether an overload has no parameter through which anything else could be reached."""
    for argument in schema.arguments:
        kind = str(argument.type)
        while kind.startswith(("Optional[", "List[")):
            kind = kind[kind.index("[") + 1 : -1]
        if kind not in ("Tensor", "str", *_NUMBERS) and kind not in _ALWAYS_DEFAULT:
            return False
    return True


def is_word(text: str) -> bool:
    """Whether a string can only be the name of a mode (`mean`, `tanh`) or an equation of einsum."""
    return _WORD.fullmatch(text) is not None
