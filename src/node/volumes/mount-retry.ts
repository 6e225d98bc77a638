/** The waits before a volume that could not be mounted or unmounted is tried again, as the kubelet's. */
export const MOUNT_RETRY = { firstMs: 500, maxMs: 122_000 } as const
