/*
 * A FAKE of PyTorch's library of this name: nothing but the name.
 */
extern int fake_libc10_cuda;
int fake_libc10_cuda;
