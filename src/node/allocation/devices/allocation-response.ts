import path from 'node:path'
import type { ContainerAllocateResponse } from '../../../sdk/node-api/device-plugin.ts'
import type { ContainerAdditions } from '../../runtime/container-spec.ts'

/** The most additions (mounts, devices, variables, …) of one response. */
export const MOST_ADDITIONS = 4096

/** Why a plugin's response is invalid; undefined if it is valid. Pure. */
export function responseFault(response: ContainerAllocateResponse): string | undefined {
  const { envs, mounts, devices, annotations, cdiDevices } = response
  const count = envs.size + mounts.length + devices.length + annotations.size + cdiDevices.length
  if (count > MOST_ADDITIONS) return `it adds ${count} things to one container, and may add ${MOST_ADDITIONS}`
  for (const { containerPath, hostPath } of [...mounts, ...devices]) {
    const [wrong] = [containerPath, hostPath].filter((p) => !isPlainPath(p))
    if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 200))} is no absolute path, or leads through ".."`
  }
  for (const { permissions } of devices)
    if (!/^[rwm]{0,3}$/.test(permissions)) return `device permissions ${JSON.stringify(permissions.slice(0, 20))}`
  for (const name of envs.keys()) if (!/^[^=\0]+$/.test(name)) return `a variable with the name ${JSON.stringify(name.slice(0, 200))}`
  for (const { name } of cdiDevices)
    if (!/^[^/=\s]+\/[^/=\s]+=[^=\s]+$/.test(name)) return `a CDI device with the name ${JSON.stringify(name.slice(0, 200))}`
  return undefined
}

const isPlainPath = (p: string) => path.posix.isAbsolute(p) && !p.includes('\0') && !p.split('/').includes('..')

/** What all device responses add to a container. Of two entries with the same name or path the first wins, as in the kubelet. Pure. */
export function containerAdditions(responses: readonly ContainerAllocateResponse[]): ContainerAdditions | undefined {
  if (responses.length === 0) return undefined
  const first = <T>(all: readonly T[], key: (value: T) => string): T[] =>
    [...new Map([...all].reverse().map((v) => [key(v), v])).values()].reverse()
  const envs = responses.flatMap((r) => [...r.envs].map(([name, value]) => ({ name, value })))
  const mounts = responses.flatMap((r) => r.mounts)
  return {
    environment: first(envs, (e) => e.name),
    mounts: first(mounts, (m) => m.containerPath).map((m) => ({
      volume: m.containerPath,
      containerPath: m.containerPath,
      hostPath: m.hostPath,
      readOnly: m.readOnly,
    })),
    devices: first(
      responses.flatMap((r) => r.devices),
      (d) => d.containerPath,
    ),
    cdiDevices: [...new Set(responses.flatMap((r) => r.cdiDevices.map((c) => c.name)))],
    annotations: Object.fromEntries(
      first(
        responses.flatMap((r) => [...r.annotations]),
        ([name]) => name,
      ),
    ),
  }
}
