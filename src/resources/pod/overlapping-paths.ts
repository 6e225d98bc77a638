import { goQuote } from '../../machinery/field-error.ts'
import type { ProjectedSource, Volume } from './types.ts'

/** A file that a volume projects, and its source if there are several. */
interface Laid {
  readonly path: string
  readonly from: string
}

/** Warnings for files of a volume that overwrite each other. */
export function overlapWarnings(volume: Volume): string[] {
  const { configMap, secret, downwardAPI, projected } = volume
  const warning = (what: string, files: readonly Laid[]) =>
    overlaps(files).map((text) => `volume ${goQuote(volume.name ?? '')} (${what}): overlapping paths: ${text}`)
  return [
    ...warning(`ConfigMap ${goQuote(configMap?.name ?? '')}`, laid(configMap?.items, '')),
    ...warning(`Secret ${goQuote(secret?.secretName ?? '')}`, laid(secret?.items, '')),
    ...warning('DownwardAPI', laid(downwardAPI?.items, '')),
    ...warning('Projected', (projected?.sources ?? []).flatMap(laidBy)),
  ]
}

const laid = (items: readonly { path?: string }[] | undefined, from: string): Laid[] =>
  (items ?? []).map(({ path = '' }) => ({ path: path.replace(/\/+$/, ''), from }))

function laidBy(source: ProjectedSource): Laid[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source
  if (configMap) return laid(configMap.items, `ConfigMap ${goQuote(configMap.name ?? '')}`)
  if (secret) return laid(secret.items, `Secret ${goQuote(secret.name ?? '')}`)
  if (downwardAPI) return laid(downwardAPI.items, 'DownwardAPI')
  if (serviceAccountToken) return laid([serviceAccountToken], 'ServiceAccountToken')
  if (clusterTrustBundle)
    return laid([clusterTrustBundle], `ClusterTrustBundle ${goQuote(clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '')}`)
  if (!podCertificate) return []
  const { certificateChainPath: chain, keyPath: key, credentialBundlePath: bundle } = podCertificate
  return [
    ...laid(chain ? [{ path: chain }] : [], 'PodCertificate chain'),
    ...laid(key ? [{ path: key }] : [], 'PodCertificate key'),
    ...laid(bundle ? [{ path: bundle }] : [], 'PodCertificate credential bundle'),
  ]
}

const shown = ({ path, from }: Laid) => (from === '' ? goQuote(path) : `${goQuote(path)} (${from})`)

/** Each file with earlier ones that it overwrites, or whose directory it is in. */
function overlaps(files: readonly Laid[]): string[] {
  return files.flatMap((file, i) =>
    files
      .slice(0, i)
      .filter(({ path }) => path === file.path || path.startsWith(`${file.path}/`) || file.path.startsWith(`${path}/`))
      .map((before) => `${shown(file)} with ${shown(before)}`),
  )
}
