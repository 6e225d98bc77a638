import { readFileSync } from 'node:fs'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { checkFiles, type Finding } from '../tools/check-files.ts'
import { clusterFields } from './cluster-file/fields.ts'
import { isClusterFile, readClusterFile } from './cluster-file/read-cluster-file.ts'
import { existingFile, orWord, several } from './option-values.ts'
import { reportFailure } from './report-failure.ts'
import { upCommand } from './up.ts'

/** `bowsprit check`: the faults of definitions and objects, without a cluster. */
export function checkCommand(): Command {
  return new Command('check')
    .description('check CustomResourceDefinitions, their objects, and cluster files for "bowsprit up -f", without a cluster')
    .argument('<file...>', 'YAML or JSON files; definitions and objects in any order', several(orWord('-', existingFile)))
    .option('--old <file>', 'the present objects: errors that they already have are not reported (ratcheting)', several(existingFile), [])
    .action(check)
}

/** Exits with 1 where there are errors, with 2 where a file cannot be read. */
function check(names: string[], { old }: { old: readonly string[] }): void {
  const files = readAll([...names, ...old])
  if (files === undefined) return
  const clusters = files.slice(0, names.length).filter(({ text }) => isClusterFile(text))
  const others = files.slice(0, names.length).filter((file) => !clusters.includes(file))
  const report = checkFiles(others, files.slice(names.length))
  const findings = [...clusters.flatMap((file) => readClusterFile(file, clusterFields(upCommand())).faults), ...report.findings]
  const checked = clusters.length + report.checked.length
  for (const finding of findings) console.log(text(finding))
  const errors = findings.filter((f) => f.level === 'error').length
  const sum = `${checked} checked, ${errors} ${errors === 1 ? 'error' : 'errors'}, ${findings.length - errors} warnings`
  console.log(errors === 0 ? styleText('green', sum) : styleText('red', sum))
  if (errors > 0) process.exitCode = 1
}

function readAll(names: readonly string[]) {
  try {
    return names.map((name) => ({ name, text: readFileSync(name === '-' ? 0 : name, 'utf8') }))
  } catch (error) {
    reportFailure('check', error, 2)
    return undefined
  }
}

const text = ({ file, line, level, message }: Finding) =>
  `${file}:${line}: ${styleText(level === 'error' ? 'red' : 'yellow', level)}: ${message}`
