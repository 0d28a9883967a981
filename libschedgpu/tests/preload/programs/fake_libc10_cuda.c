/* fake_libc10_cuda.c - a FAKE of PyTorch's library of this name: only the name is the same. */
extern int fake_libc10_cuda;
int fake_libc10_cuda;
