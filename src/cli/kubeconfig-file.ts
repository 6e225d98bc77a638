import { existsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import { defaultDataDir } from '../cluster/config.ts'
import { type KubeconfigContext, loadKubeconfigFile } from '../sdk/client/kubeconfig.ts'
import { existingFile, word } from './option-values.ts'
import { readOptionFile } from './read-option-file.ts'
import { UsageError } from './report-failure.ts'

/** The kubeconfig of a command: the given one, those of $KUBECONFIG, the default one, or the one that `bowsprit up` writes. */
export function kubeconfigFile(kubeconfig: string | undefined, env: NodeJS.ProcessEnv = process.env, home: string = os.homedir()): string {
  const named = kubeconfig === undefined ? (env.KUBECONFIG ?? '').split(path.delimiter).filter((file) => file !== '') : [kubeconfig]
  const usual = [path.join(home, '.kube', 'config'), path.join(defaultDataDir(env), 'kubeconfig')]
  const files = named.length > 0 ? named : usual
  const found = files.find((file) => existsSync(file))
  if (found === undefined) throw new UsageError(`there is no kubeconfig: looked for ${files.join(', ')}`)
  return found
}

/** Adds the options by which a command names a cluster. */
export const withClusterOptions = (command: Command): Command =>
  command
    .option(
      '--kubeconfig <file>',
      'the cluster (default: $KUBECONFIG, ~/.kube/config, or the file that "bowsprit up" writes)',
      existingFile,
    )
    .option('--context <name>', 'the context of the kubeconfig (default: its current one)', word)

/** The values of these options. */
export interface KubeconfigFlags {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

/** The cluster of a command. @throws {UsageError} that names the option and the file */
export function kubeconfigOf({ kubeconfig, context }: KubeconfigFlags): Promise<KubeconfigContext> {
  const named = context === undefined ? {} : { context }
  return readOptionFile('--kubeconfig', kubeconfigFile(kubeconfig), (file) => loadKubeconfigFile(file, named))
}
