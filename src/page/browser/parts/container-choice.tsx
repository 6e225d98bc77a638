interface ContainerChoiceProps {
  readonly containers: readonly string[]
  readonly chosen: string
  onChoose(name: string): void
}

/** Which container of a pod, where it has several. */
export function ContainerChoice({ containers, chosen, onChoose }: ContainerChoiceProps) {
  if (containers.length < 2) return null
  return (
    <label class="choice">
      container{' '}
      <select value={chosen || containers[0]} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {containers.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
