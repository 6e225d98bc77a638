import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { ConfigError, defaultDataDir } from '../../cluster/config.ts'

/** The name of the cluster that `bowsprit up` starts without `--name`. */
export const DEFAULT_NAME = 'default'

/** The folder that holds the folders of all named clusters: `~/.local/share/bowsprit`. */
export const clustersHome = (env: NodeJS.ProcessEnv = process.env): string => path.dirname(defaultDataDir(env))

const NAME = /^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/

/** The folder of the cluster of this name. @throws {ConfigError} for a name that is not a DNS label */
export function folderOf(name: string, home: string = clustersHome()): string {
  if (!NAME.test(name)) throw new ConfigError(`--name: ${JSON.stringify(name)} is not a name: use small letters, digits and -`)
  return path.join(home, name)
}

/** The names of the clusters that are kept on disk, whether they run or not. */
export function keptClusters(home: string = clustersHome()): readonly string[] {
  if (!existsSync(home)) return []
  return readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name) && isCluster(path.join(home, entry.name)))
    .map((entry) => entry.name)
}

/** Whether a folder holds a cluster: its store or its keys. */
export const isCluster = (folder: string): boolean =>
  existsSync(path.join(folder, 'store')) || existsSync(path.join(folder, 'certificates'))
