import type { Image } from '../../runtime/runtime.ts'
import { type Container, type Pod, podRef } from '../../types/pod.ts'

/** Kubernetes' message if a container would violate `runAsNonRoot`. Pure. */
export function rootFault(pod: Pod, container: Container, image: Image): string | undefined {
  const { runAsNonRoot, runAsUser } = { ...pod.spec.securityContext, ...container.securityContext }
  if (runAsNonRoot !== true) return undefined
  const { name, namespace, uid } = podRef(pod)
  const where = `(pod: "${name}_${namespace}(${uid})", container: ${container.name})`
  if (runAsUser !== undefined) return runAsUser === 0 ? `container's runAsUser breaks non-root policy ${where}` : undefined
  if (image.uid !== undefined) return image.uid === 0 ? `container has runAsNonRoot and image will run as root ${where}` : undefined
  if (image.username)
    return `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`
  return `container has runAsNonRoot and image will run as root ${where}`
}
