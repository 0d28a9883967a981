/*
 * dlsym, exported in front of glibc's. Every name that begins neither with "cu" nor with "nvml", and
 * every look-up that sgp_pick() does not decide, is a tail jump to the next dlsym, which therefore sees its true
 * caller: RTLD_NEXT, RTLD_DEFAULT and namespaces depend on who asks.
 *
 * It has glibc's versions (preload.map): another interposer, before ours, finds the next dlsym with
 * dlvsym(), which takes only the very version that it names, and would pass us by.
 */
	.text
	.globl	sgp_dlsym
	.type	sgp_dlsym, %function
	.globl	sgp_older_dlsym
	.set	sgp_older_dlsym, sgp_dlsym
	.symver	sgp_dlsym, dlsym@@GLIBC_2.34
#if defined(__x86_64__)
	.symver	sgp_older_dlsym, dlsym@GLIBC_2.2.5
#else
	.symver	sgp_older_dlsym, dlsym@GLIBC_2.17
#endif
	.hidden	sgp_pick
	.hidden	sgp_dlsym_target
	.hidden	sgp_next_dlsym

#if defined(__x86_64__)
	.p2align 4
sgp_dlsym:
	.cfi_startproc
	endbr64
	cmpb	$'c', (%rsi)
	jne	.Lnot_cu
	cmpb	$'u', 1(%rsi)
	jne	.Lforward
.Lours:
	movq	(%rsp), %rdx		/* who asks */
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	sgp_pick
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%rdx, %rdx
	je	.Lforward
	ret
.Lforward:
	movq	sgp_dlsym_target(%rip), %rax
	testq	%rax, %rax
	je	.Lfirst
	jmp	*%rax
.Lfirst:
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	sgp_next_dlsym
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%rax, %rax
	je	.Lnone
	jmp	*%rax
.Lnone:
	ret				/* NULL, in rax */
.Lnot_cu:				/* byte by byte: the name may be the last of its page */
	cmpb	$'n', (%rsi)
	jne	.Lforward
	cmpb	$'v', 1(%rsi)
	jne	.Lforward
	cmpb	$'m', 2(%rsi)
	jne	.Lforward
	cmpb	$'l', 3(%rsi)
	jne	.Lforward
	jmp	.Lours
	.cfi_endproc

#elif defined(__aarch64__)
	.p2align 2
sgp_dlsym:
	.cfi_startproc
	hint	#34			/* bti c */
	ldrb	w2, [x1]
	cmp	w2, #'c'
	b.ne	.Lnot_cu
	ldrb	w2, [x1, #1]
	cmp	w2, #'u'
	b.ne	.Lforward
.Lours:
	mov	x2, x30			/* who asks */
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	stp	x0, x1, [sp, #16]
	mov	x29, sp
	bl	sgp_pick
	mov	x2, x0
	mov	x3, x1
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	cbz	x3, .Lforward
	mov	x0, x2
	ret
.Lforward:
	adrp	x16, sgp_dlsym_target
	ldr	x16, [x16, #:lo12:sgp_dlsym_target]
	cbz	x16, .Lfirst
	br	x16
.Lfirst:
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	stp	x0, x1, [sp, #16]
	mov	x29, sp
	bl	sgp_next_dlsym
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	cbz	x16, .Lnone
	br	x16
.Lnone:
	mov	x0, xzr
	ret
.Lnot_cu:				/* byte by byte: the name may be the last of its page */
	cmp	w2, #'n'
	b.ne	.Lforward
	ldrb	w2, [x1, #1]
	cmp	w2, #'v'
	b.ne	.Lforward
	ldrb	w2, [x1, #2]
	cmp	w2, #'m'
	b.ne	.Lforward
	ldrb	w2, [x1, #3]
	cmp	w2, #'l'
	b.ne	.Lforward
	b	.Lours
	.cfi_endproc

#else
#error "libschedgpu-preload knows x86-64 and aarch64"
#endif
	.size	sgp_dlsym, .-sgp_dlsym
	.section .note.GNU-stack, "", %progbits
