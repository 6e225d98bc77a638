import type { Command } from 'commander'
import { existingFile, word } from './option-values.ts'

/** Adds the options of the etcd that another option or argument names. */
export const withEtcdOptions = (command: Command): Command =>
  command
    .option('--etcd-prefix <prefix>', 'the prefix of all keys in the etcd or its snapshot (default: /registry)', word)
    .option('--etcd-cafile <file>', 'the certificate authority of the etcd', existingFile)
    .option('--etcd-certfile <file>', 'the client certificate for the etcd', existingFile)
    .option('--etcd-keyfile <file>', 'the key of that certificate', existingFile)
