/** Why a volume of a CSI driver cannot be mounted or unmounted; the message is the kubelet's where it has one. */
export class CsiError extends Error {
  override readonly name = 'CsiError'
  readonly code = 'csi'
}
