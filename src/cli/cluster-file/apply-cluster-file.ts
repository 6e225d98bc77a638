import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { UsageError } from '../report-failure.ts'
import { clusterFields } from './fields.ts'
import { readClusterFile } from './read-cluster-file.ts'

/** Gives `bowsprit up` the options of a cluster file; flags of the command line come before them. @throws {UsageError} */
export function applyClusterFile(command: Command, file: string): void {
  const { values, faults } = readClusterFile({ name: file, text: readFileSync(file, 'utf8') }, clusterFields(command))
  const [first] = faults
  if (first !== undefined) {
    const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more: bowsprit check ${file})`
    throw new UsageError(`--file: ${first.file}:${first.line}: ${first.message}${more}`)
  }
  for (const [name, value] of values)
    if (command.getOptionValueSource(name) !== 'cli') command.setOptionValueWithSource(name, value, 'config')
}
