import type { KubeObject } from '../../machinery/object.ts'

/** When a finished job is to be deleted; undefined for one that is not finished, or stays. Pure. */
export function expiresAtMs(job: KubeObject): number | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished
  if (typeof seconds !== 'number' || job.metadata.deletionTimestamp !== undefined) return undefined
  const ended = job.status?.conditions?.find(
    (c: { type: string; status: string }) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True',
  )
  return ended === undefined ? undefined : Date.parse(ended.lastTransitionTime) + seconds * 1000
}
