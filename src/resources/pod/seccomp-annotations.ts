/** The annotations that named seccomp profiles before there were fields: of the pod, and of a container, followed by its name. */
export const POD_SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod'
export const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/'
