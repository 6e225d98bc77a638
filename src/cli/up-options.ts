import path from 'node:path'
import type { ClusterOptions, Part } from '../cluster/cluster-options.ts'
import { ConfigError } from '../cluster/config.ts'
import { CNI_FOLDER } from '../cluster/nodes/cni-folder.ts'
import { ClusterRecords } from './clusters/cluster-record.ts'
import { clustersHome, DEFAULT_NAME, folderOf } from './clusters/clusters-home.ts'
import { checkTogether, type FlagRules } from './flags-together.ts'
import { KUBELETS_FOLDER, waitingPluginFolder } from './kubelets-folder.ts'
import type { LogFlags } from './log-options.ts'

/** Options of a cluster whose flags have other names or types, or that have none. */
type OtherOptions =
  | 'parts'
  | 'certificateNames'
  | 'objectLimits'
  | 'cniFolder'
  | 'devicePluginDir'
  | 'unknownPrograms'
  | 'thirdPartyResources'

/** The flags of `bowsprit up`, as commander gives them. */
export interface UpFlags extends LogFlags, Omit<ClusterOptions, OtherOptions> {
  readonly file?: string
  readonly merge?: boolean
  readonly cni?: string | true
  readonly parts?: string
  readonly saveOnExit?: string
  readonly certificateNames?: string
  readonly objectLimits?: string
  readonly devicePluginDir?: string | true
  readonly unknownPrograms?: string
  readonly program?: readonly string[]
  readonly untilStdinEnds?: boolean
  readonly page?: boolean
  readonly pagePort?: number
  readonly pageReadOnly?: boolean
}

/** The environment of the process that flags depend on. */
export interface UpProcess {
  readonly isRoot: boolean
  /** The kubelet's default folder of device plugins, if no kubelet uses it. */
  readonly waitingPluginFolder: () => Promise<string | undefined>
}

const THIS_PROCESS: UpProcess = { isRoot: process.getuid?.() === 0, waitingPluginFolder }

/** The options of the cluster from the flags. @throws {ConfigError} */
export async function upOptions(flags: UpFlags, process: UpProcess = THIS_PROCESS): Promise<ClusterOptions> {
  const {
    parts,
    verbose: _verbose,
    logFormat: _format,
    merge: _merge,
    file: _file,
    untilStdinEnds: _until,
    saveOnExit: _save,
    storageClass,
    devicePluginDir: _plugins,
    objectLimits,
    cni,
    unknownPrograms,
    program = [],
    certificateNames,
    page: _page,
    pagePort: _pagePort,
    pageReadOnly: _readOnly,
    threads = true,
    serviceAddresses = true,
    trails = true,
    ...rest
  } = flags
  checkTogether((name) => (name === 'noPage' ? flags.page === false : flags[name] !== undefined), RULES)
  checkRunning(flags)
  const plugins = await pluginFolder(flags, process)
  return {
    ...rest,
    ...(flags.name !== undefined && named(flags, flags.name)),
    threads,
    serviceAddresses,
    trails,
    ...(certificateNames !== undefined && { certificateNames: certificateNames.split(',').map((name) => name.trim()) }),
    ...(cni !== undefined && { cniFolder: cni === true ? CNI_FOLDER : cni }),
    ...(plugins !== undefined && { devicePluginDir: plugins }),
    ...(storageClass === false && { storageClass }),
    ...(program.length > 0 && { images: processesIn(program, flags) }),
    ...(objectLimits !== undefined && { objectLimits: limitsIn(objectLimits) }),
    ...(unknownPrograms !== undefined && { unknownPrograms: unknownPrograms as NonNullable<ClusterOptions['unknownPrograms']> }),
    ...(parts === undefined ? {} : { parts: parts.split(',').map((part) => part.trim() as Part) }),
  }
}

type FlagName = keyof UpFlags | 'noPage'

const RULES: FlagRules<FlagName> = {
  notTogether: [
    ['ephemeral', 'dataDir'],
    ['ephemeral', 'store'],
    ['name', 'dataDir'],
    ['from', 'fromEtcdSnapshot'],
    ['from', 'store'],
    ['fromEtcdSnapshot', 'dataDir'],
    ['fromEtcdSnapshot', 'store'],
    ['schedulerConfig', 'schedulerPolicy'],
    ['runtime', 'images'],
    ['runtime', 'machine'],
    ['runtime', 'nodeShapes'],
    ['runtime', 'cniConfDir'],
    ['noPage', 'pagePort'],
    ['noPage', 'pageReadOnly'],
  ],
  needed: [
    ['serviceProxy', 'runtime'],
    ['clusterDns', 'runtime'],
    ['networkPolicies', 'runtime'],
    ['cni', 'runtime'],
    ['cniBinDir', 'cniConfDir'],
    ['etcdCafile', 'store'],
    ['etcdCertfile', 'store'],
    ['etcdKeyfile', 'store'],
    ['auditPolicy', 'auditLog'],
    ['encryptionProviderConfigAutomaticReload', 'encryptionProviderConfig'],
  ],
}

/** A named cluster has a folder of its name, and a free port. */
function named({ ephemeral, from, port = 0 }: UpFlags, name: string): ClusterOptions {
  const dataDir = folderOf(name)
  return { port, ...(ephemeral !== true && from === undefined && { dataDir }) }
}

/** @throws {ConfigError} when a cluster of the name runs, or one in the folder */
function checkRunning({ name, ephemeral, from, fromEtcdSnapshot, dataDir = folderOf(DEFAULT_NAME) }: UpFlags): void {
  const inMemory = ephemeral === true || from !== undefined || fromEtcdSnapshot !== undefined
  if (name === undefined && inMemory) return
  const found = new ClusterRecords(clustersHome())
    .list()
    .find((r) => (name === undefined ? r.dataDir === path.resolve(dataDir) : r.name === name))
  if (found === undefined) return
  const what = name === undefined ? `--data-dir: the cluster in ${found.dataDir}` : `--name: ${name}`
  throw new ConfigError(
    `${what} is running already, as process ${found.pid} at ${found.address}: export KUBECONFIG=${found.kubeconfig} (bowsprit stop ${found.name})`,
  )
}

/** `controller:dev=./bin/manager`, with words that always come first after blanks. */
function processesIn(pairs: readonly string[], { images }: UpFlags): NonNullable<ClusterOptions['images']> {
  if (images !== undefined)
    throw new ConfigError('--program cannot be used together with --images: write IMAGE: {command: PROGRAM} into that file')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, image, command = ''] = /^([^=]+)=(.+)$/.exec(pair) ?? []
      if (image === undefined)
        throw new ConfigError(`--program: ${JSON.stringify(pair)} has to be IMAGE=COMMAND, like controller:dev=./bin/manager`)
      return [image, { command: command.trim().split(/\s+/) }]
    }),
  )
}

/** `pods=300000,*=1000000` */
const limitsIn = (text: string) =>
  Object.fromEntries(
    text.split(',').map((pair) => {
      const [collection = '', count] = pair.split('=', 2)
      return [collection.trim(), Number(count)]
    }),
  )

/** The folder where device plugins find the nodes. The kubelet's own folder is for one node, and only root may write to it. */
async function pluginFolder({ devicePluginDir, devices, parts, nodes = 1 }: UpFlags, process: UpProcess): Promise<string | undefined> {
  if (typeof devicePluginDir === 'string') return devicePluginDir
  const mayUseKubelets = nodes === 1 && process.isRoot
  if (devicePluginDir === undefined) {
    const hasNodes = parts === undefined || parts.includes('nodes')
    return mayUseKubelets && devices === undefined && hasNodes ? process.waitingPluginFolder() : undefined
  }
  if (mayUseKubelets) return `${KUBELETS_FOLDER}/device-plugins`
  throw new ConfigError("--device-plugin-dir: name a folder; the kubelet's own is for root and one node")
}
