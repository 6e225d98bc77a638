import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Reads a file made by `scripts/prepare.mjs`, beside this file or beside the published bundle. Undefined if it does not exist. */
export function readGenerated(name: string): unknown {
  if (!/^[a-z0-9_.]+$/i.test(name)) return undefined
  const file = path.join(import.meta.dirname, 'generated', name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** `rbac.authorization.k8s.io/v1` → `rbac_v1`: the name of the file, and of Go's folder. */
export const factsId = (group: string, version: string): string => `${group === '' ? 'core' : (group.split('.')[0] ?? group)}_${version}`

/** The facts' id of an OpenAPI package: `io.k8s.api.core.v1` → `core_v1`. */
export function factsIdOfPackage(name: string): string | undefined {
  if (Object.hasOwn(PACKAGES, name)) return PACKAGES[name]
  return name.match(/^io\.k8s\.api\.([a-z]+\.v\d+\w*)$/)?.[1]?.replace('.', '_')
}

const PACKAGES: Readonly<Record<string, string>> = {
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1': 'apiextensions_v1',
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1': 'apiregistration_v1',
  'io.k8s.apimachinery.pkg.apis.meta.v1': 'meta_v1',
  'io.k8s.apimachinery.pkg.version': 'version',
}
