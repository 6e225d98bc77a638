import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { makeFolder } from '../base/make-folder.ts'
import { testCertificate } from '../testing/test-certificate.ts'
import { newFolder, several, word } from './option-values.ts'
import { reporting, UsageError } from './report-failure.ts'

/** `bowsprit create certificate FOLDER`: what a webhook on this machine serves with, and what the API server checks it by. */
export const createCertificateCommand = (): Command =>
  new Command('certificate')
    .description('create tls.crt, tls.key and ca.crt for a webhook on this machine, and print its caBundle')
    .argument('<folder>', 'the folder; existing files of these names are kept', newFolder)
    .option(
      '--host <name>',
      'another name or address of the webhook, in addition to localhost and 127.0.0.1 (repeatable)',
      several(word),
      [],
    )
    .action((folder: string, { host }: { readonly host: readonly string[] }) =>
      reporting('create certificate', () => console.log(`caBundle: ${createCertificate(folder, host)}`)),
    )

/** Writes the files, and returns the authority in base64. @throws {UsageError} if one of them exists */
function createCertificate(folder: string, hosts: readonly string[]): string {
  const { cert, key, ca } = testCertificate(hosts)
  const files = Object.entries({ 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca }).map(
    ([name, text]) => [path.join(folder, name), text] as const,
  )
  const present = files.find(([file]) => existsSync(file))
  if (present !== undefined) throw new UsageError(`folder: ${present[0]} exists already: name another folder, or remove it`)
  makeFolder(folder)
  for (const [file, text] of files) writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  return Buffer.from(ca).toString('base64')
}
