import type { PluginFactory } from '../framework/plugin.ts'

const MIB = 1024 * 1024
const MIN_BYTES = 23 * MIB
const MAX_BYTES_EACH = 1000 * MIB

/** Prefers nodes that have the pod's images, the more the larger and the more common they are. */
export const imageLocality: PluginFactory = () => ({
  name: 'ImageLocality',
  scope: 'node',
  epoch: ({ table }) => table.imageEpoch + table.membership,
  score(pod, { table }) {
    const { spec } = pod.pod
    const volumes = (spec.volumes ?? []).map((v) => v.image?.reference).filter((image) => image !== undefined)
    const names = [...(spec.initContainers ?? []), ...spec.containers].map((c) => c.image ?? '')
    const images = [...names, ...volumes].map((name) => table.image(withTag(name))).filter((image) => image !== undefined)
    const max = MAX_BYTES_EACH * (names.length + volumes.length)
    if (images.length === 0) return { of: () => 0, nothing: true }
    return {
      of(row) {
        let sum = 0
        for (const image of images) if (image.rows.has(row)) sum += Math.trunc((image.size * image.rows.size) / table.count)
        return Math.trunc((100 * (Math.min(max, Math.max(MIN_BYTES, sum)) - MIN_BYTES)) / (max - MIN_BYTES))
      },
    }
  },
})

const withTag = (image: string) => (image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image)
