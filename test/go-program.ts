/** The programs in Go that tests run: built from their modules where Go is installed, and kept. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { runProgram } from './run-program.ts'

const INTEL = 'github.com/intel/intel-device-plugins-for-kubernetes/cmd'

/** Each module: its folder below `test`, and the packages that its programs are built from. */
const MODULES = {
  clients: { folder: 'clients/go-clients', programs: { clients: '.' } },
  envtest: { folder: 'envtest/go-envtest', programs: { envtest: '.' } },
  operator: { folder: 'operators/go-operator', programs: { operator: '.' } },
  'metrics-server': {
    folder: 'node/go-metrics-server',
    programs: { 'metrics-server': 'sigs.k8s.io/metrics-server/cmd/metrics-server' },
  },
  'sample-apiserver': {
    folder: 'api/go-sample',
    programs: { 'sample-apiserver': 'k8s.io/sample-apiserver', etcd: 'go.etcd.io/etcd/server/v3' },
  },
  dra: {
    folder: 'dynamic-resources/go-dra',
    programs: { 'dra-example-kubeletplugin': 'sigs.k8s.io/dra-example-driver/cmd/dra-example-kubeletplugin' },
  },
  'csi-sanity': { folder: 'real-nodes/go-csi-sanity', programs: { 'csi-sanity': 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity' } },
  devices: {
    folder: 'devices/go-devices',
    programs: { 'pod-resources': '.', plugin: './plugin', 'sample-device-plugin': 'k8s.io/kubernetes/test/images/sample-device-plugin' },
  },
  'intel-devices': {
    folder: 'devices/go-devices/intel',
    programs: { dlb_plugin: `${INTEL}/dlb_plugin`, sgx_plugin: `${INTEL}/sgx_plugin` },
  },
  cri: { folder: 'node/go-cri', programs: { cri: '.' } },
} as const

export type GoModule = keyof typeof MODULES

/** The modules that `npm test` builds while the unit tests run. `cri` is for a kubelet, which is not here usually. */
export const BUILT_BEFORE: readonly GoModule[] = (Object.keys(MODULES) as GoModule[]).filter((name) => name !== 'cri')

export interface GoPrograms {
  /** The folder of the programs. */
  readonly bin: string
  /** Why they cannot be built here. */
  readonly why?: string
}

/** The folder of a module, where its `go.mod` is. */
export const moduleFolder = (name: GoModule): string => path.join(import.meta.dirname, MODULES[name].folder)

/**
 * The environment of the go command in tests: one for all, so that they share what is compiled. Without cgo no C is compiled; without
 * inlining the compiler needs a fifth less time.
 */
export const GO_ENVIRONMENT = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod -gcflags=all=-l', CGO_ENABLED: '0' }

/** Runs the go command in a module. */
export const runGo = (name: GoModule, args: readonly string[], timeoutMs = 240_000) =>
  runProgram('go', args, { cwd: moduleFolder(name), env: GO_ENVIRONMENT, timeoutMs })

/**
 * Builds the programs of a module, which takes a second or two when nothing has changed; or returns why it cannot. A compile error throws.
 */
export async function goPrograms(name: GoModule, timeoutMs?: number): Promise<GoPrograms> {
  const bin = path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'bowsprit-go', name)
  const version = await runGo(name, ['version']).catch(() => undefined)
  if (version?.code !== 0) return { bin, why: 'Go is not here' }
  mkdirSync(bin, { recursive: true })
  for (const [program, source] of Object.entries(MODULES[name].programs)) {
    const { code, err } = await runGo(name, ['build', '-ldflags=-s -w', '-o', path.join(bin, program), source], timeoutMs)
    if (code === null) return { bin, why: 'the Go compiler took too long' }
    if (code !== 0 && /proxy|dial|download|reading http|go.mod requires go/i.test(err))
      return { bin, why: `the Go modules cannot be had here: ${err.split('\n')[0]}` }
    assert.equal(code, 0, err)
  }
  return { bin }
}
