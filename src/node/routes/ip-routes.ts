import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { familyOf } from '../nftables/ruleset.ts'
import type { Routes } from './plan-routes.ts'

/** The kernel's routes, as far as they are ours. */
export interface IpRoutes {
  present(): Promise<Routes>
  replace(cidr: string, via: string): Promise<void>
  remove(cidr: string): Promise<void>
}

/** Marks a route as ours: a number of the kernel's that no routing daemon has. */
const PROTOCOL = '98'
const FAMILIES = ['-4', '-6']

const run = promisify(execFile)
const familyFlag = (cidr: string) => (familyOf(cidr) === 'ip' ? '-4' : '-6')

/** By the program `ip` of this machine. */
export const machineRoutes: IpRoutes = {
  async present() {
    const lists = await Promise.all(FAMILIES.map((family) => run('ip', [family, '-j', 'route', 'show', 'proto', PROTOCOL])))
    const routes = lists.flatMap(({ stdout }) => JSON.parse(stdout.trim() || '[]') as { readonly dst: string; readonly gateway?: string }[])
    return new Map(routes.map(({ dst, gateway = '' }) => [dst, gateway]))
  },
  async replace(cidr, via) {
    await run('ip', [familyFlag(cidr), 'route', 'replace', cidr, 'via', via, 'proto', PROTOCOL])
  },
  async remove(cidr) {
    await run('ip', [familyFlag(cidr), 'route', 'del', cidr, 'proto', PROTOCOL])
  },
}
