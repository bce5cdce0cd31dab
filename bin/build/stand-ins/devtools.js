/** Stands for `react-devtools-core`, which is no part of the package. */
export default {};
