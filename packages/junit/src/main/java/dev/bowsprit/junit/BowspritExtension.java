package dev.bowsprit.junit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a cluster to each parameter of type {@link Bowsprit}: to a test method one of its own, to a constructor or a {@code @BeforeAll} method one for the
 * whole class. It is stopped when the test, or the class, has ended.
 */
public final class BowspritExtension implements ParameterResolver {
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Bowsprit.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getStore(Namespace.create(BowspritExtension.class, context.getUniqueId()))
        .getOrComputeIfAbsent(Bowsprit.class, key -> new Held(Bowsprit.start(flags(context))), Held.class)
        .cluster();
  }

  private static String[] flags(ExtensionContext context) {
    return context
        .getTestMethod()
        .map(method -> method.getAnnotation(BowspritFlags.class))
        .or(() -> context.getTestClass().map(type -> type.getAnnotation(BowspritFlags.class)))
        .map(BowspritFlags::value)
        .orElse(new String[0]);
  }

  /** What the store closes at the end, in every version of JUnit 5. */
  private record Held(Bowsprit cluster) implements ExtensionContext.Store.CloseableResource {
    @Override
    public void close() {
      cluster.close();
    }
  }
}
