import { Help, type HelpConfiguration } from 'commander'

/** Longer options have a line of their own, so that all descriptions fit beside this column on 80 columns. */
const TERM_WIDTH = 28

const plain = new Help()

/** How the help of every command is laid out. */
export const HELP_LAYOUT: HelpConfiguration = {
  padWidth: (command, help) => Math.min(TERM_WIDTH, plain.padWidth(command, help)),
  formatItem(term, width, description, help) {
    const format = Help.prototype.formatItem.bind(help)
    if (help.displayWidth(term) <= width) return format(term, width, description, help)
    return `${format(term, width, '', help)}\n${format('', width, description, help)}`
  },
  // The start of an option that may be repeated is an empty list.
  optionDescription: (option) =>
    Array.isArray(option.defaultValue) ? option.description : Help.prototype.optionDescription.call(plain, option),
}
