// Licensed under the Apache License, Version 2.0; see LICENSE.
// Steps the network thread of a released Kafka by hand, by its own private methods; tools/peers/editions_jvm runs it
// with that release's jars and with "PROTOCOL FILE", a file of broker properties. It prints the port of its listener,
// then answers each line of standard input with a line of JSON:
//
//     accept                   a connection was given to the processor
//     round | fail             the network thread goes round once; with fail its select raises
//     answer N | close N | throttle N MS     the handlers take up to N requests
//     pass MS                  the clock moves
//     ready PORT               whether the channel of that peer's port is ready

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

class EditionsJvm {
    private static final String NETWORK = "org.apache.kafka.common.network.";
    private static final String[] ROUND = {
        "configureNewConnections", "processNewResponses", "poll", "processCompletedReceives",
        "processCompletedSends", "processDisconnected", "closeExcessConnections"};
    private static final int MAX_NEW_CONNECTIONS = 20;

    private final Map<Class<?>, Object> known = new HashMap<>();
    private final Object config;
    private final Object requestChannel;
    private final Object quotas;
    private final Object processor;
    private final Object selector;
    private final Object pool;
    private final Object listenerName;
    private final boolean delays;
    private final boolean automaton;
    private final ServerSocketChannel listener;
    private final Deque<Object> queue = new ArrayDeque<>();
    private final Deque<SocketChannel> waiting = new ArrayDeque<>();
    private final List<String> responses = new ArrayList<>();
    private final List<Delayed> delayed = new ArrayList<>();
    private long nanos = 1_000_000_000L;

    private record Delayed(long due, Action action) { }

    private interface Action {
        void run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        EditionsJvm driver = new EditionsJvm(args[0], args[1]);
        System.out.println(driver.listener.socket().getLocalPort());
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine())
            System.out.println(driver.command(line.split(" ")));
        System.exit(0);
    }

    EditionsJvm(String protocol, String file) throws Exception {
        Properties properties = new Properties();
        properties.load(new FileReader(file));
        config = callStatic(type("kafka.server.KafkaConfig"), "fromProps", properties);
        know(type("kafka.server.KafkaConfig"), config);
        know(Map.class, call(config, "values"));
        Class<?> time = type("org.apache.kafka.common.utils.Time");
        know(time, Proxy.newProxyInstance(time.getClassLoader(), new Class<?>[] {time}, this::time));
        Class<?> metrics = type("org.apache.kafka.common.metrics.Metrics");
        know(metrics, metrics.getConstructor().newInstance());
        Class<?> security = find("org.apache.kafka.common.security.auth.SecurityProtocol",
                                 "org.apache.kafka.common.protocol.SecurityProtocol");
        Object securityProtocol = callStatic(security, "valueOf", protocol);
        know(security, securityProtocol);
        Class<?> listenerNames = find(NETWORK + "ListenerName");
        listenerName = listenerNames == null ? null
            : callStatic(listenerNames, "forSecurityProtocol", securityProtocol);
        know(listenerNames, listenerName);
        know(String.class, "editions");
        Class<?> logContext = find("org.apache.kafka.common.utils.LogContext");
        know(logContext, logContext == null ? null : logContext.getConstructor().newInstance());
        Object noOverrides = call(value("scala.collection.immutable.Map$"), "empty");
        know(type("scala.collection.immutable.Map"), noOverrides);
        know(type("scala.collection.Map"), noOverrides);
        know(type("scala.collection.immutable.List"), value("scala.collection.immutable.Nil$"));
        know(Collection.class, Collections.emptyList());
        know(List.class, Collections.emptyList());
        Class<?> credentials = find("org.apache.kafka.security.CredentialProvider", "kafka.security.CredentialProvider");
        know(credentials, credentials == null ? null : make(credentials, List.of()));
        Class<?> pools = find("org.apache.kafka.common.memory.MemoryPool");
        pool = pools == null ? null : newPool(pools);
        know(pools, pool);
        Class<?> versions = find("kafka.server.ApiVersionManager");
        if (versions != null)
            know(versions, newVersionManager());

        Class<?> channels = type("kafka.network.RequestChannel");
        Class<?> channelMetrics = find("kafka.network.RequestChannel$Metrics");
        if (versions != null)
            know(channelMetrics, call(known.get(versions), "newRequestMetrics"));
        int[] counts = channels.getConstructors()[0].getParameterTypes()[1] == int.class
            ? new int[] {1, intOf("queuedMaxRequests")} : new int[] {intOf("queuedMaxRequests")};
        requestChannel = make(channels, ints(counts));
        know(channels, requestChannel);
        Class<?> quotaType = type("kafka.network.ConnectionQuotas");
        quotas = make(quotaType, ints(intOf("maxConnectionsPerIp")));
        know(quotaType, quotas);
        if (method(quotaType, "addListener", 2) != null)
            call(quotas, "addListener", config, listenerName);
        processor = make(type("kafka.network.Processor"),
                         ints(0, intOf("socketRequestMaxBytes"), 0, MAX_NEW_CONNECTIONS));
        if (method(channels, "addProcessor", 1) != null)
            call(requestChannel, "addProcessor", processor);
        selector = field(processor, "selector").get(processor);
        delays = find("kafka.network.RequestChannel$StartThrottlingResponse") == null;
        automaton = !delays;
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress("127.0.0.1", 0));
    }

    private Object newPool(Class<?> pools) throws Exception {
        long size = ((Number) call(config, "queuedMaxBytes")).longValue();
        if (size <= 0)
            return pools.getField("NONE").get(null);
        return type("org.apache.kafka.common.memory.SimpleMemoryPool").getConstructors()[0].newInstance(
            size, intOf("socketRequestMaxBytes"), false, null);
    }

    private Object newVersionManager() throws Exception {
        Class<?> listenerType = type("org.apache.kafka.common.message.ApiMessageType$ListenerType");
        Class<?> function = type("scala.Function0");
        Object none = Proxy.newProxyInstance(
            function.getClassLoader(), new Class<?>[] {function}, (proxy, called, args) -> null);
        for (Constructor<?> constructor : type("kafka.server.SimpleApiVersionManager").getConstructors())
            if (constructor.getParameterCount() == 4)
                return constructor.newInstance(callStatic(listenerType, "valueOf", "ZK_BROKER"), false, false, none);
        throw new IllegalStateException("SimpleApiVersionManager has another constructor");
    }

    private Object time(Object proxy, Method called, Object[] args) throws Throwable {
        switch (called.getName()) {
            case "milliseconds": return 1_700_000_000_000L + nanos / 1_000_000;
            case "hiResClockMs": return nanos / 1_000_000;
            case "nanoseconds": return nanos;
            default: return InvocationHandler.invokeDefault(proxy, called, args);
        }
    }

    private String command(String[] words) throws Exception {
        switch (words[0]) {
            case "accept": accept(); return "{}";
            case "round": offer(); return round(false);
            case "fail": offer(); return round(true);
            case "answer", "close", "throttle": handle(words); return "{}";
            case "pass": pass(Long.parseLong(words[1])); return "{}";
            case "ready": return isReady(words[1]) ? "true" : "false";
            default: throw new IllegalArgumentException(words[0]);
        }
    }

    private void accept() throws Exception {
        SocketChannel channel = listener.accept();
        channel.configureBlocking(false);
        channel.socket().setTcpNoDelay(true);
        InetAddress address = channel.socket().getInetAddress();
        if (method(quotas.getClass(), "inc", 3) != null)
            call(quotas, "inc", listenerName, address, newMeter());
        else
            call(quotas, "inc", address);
        waiting.add(channel);
        offer();
    }

    // As an acceptor that waits while the processor has no room for a new connection; before 2.2 it always has.
    private void offer() throws Exception {
        while (!waiting.isEmpty()) {
            if (method(processor.getClass(), "accept", 3) == null)
                call(processor, "accept", waiting.peek());
            else if (!(Boolean) call(processor, "accept", waiting.peek(), false, newMeter()))
                return;
            waiting.remove();
        }
    }

    private Object newMeter() throws Exception {
        Object registry = type("com.yammer.metrics.core.MetricsRegistry").getConstructor().newInstance();
        return call(registry, "newMeter", EditionsJvm.class, "blocked", "time",
                    java.util.concurrent.TimeUnit.NANOSECONDS);
    }

    private boolean isReady(String port) throws Exception {
        for (Object channel : (Collection<?>) call(selector, "channels"))
            if (call(channel, "id").toString().contains(":" + port))
                return (Boolean) call(channel, "ready");
        return false;
    }

    private String round(boolean fails) throws Exception {
        String error = "";
        String polled = "\"staged\":" + (hasStaged() ? "[]" : "null")
            + ",\"completed\":[],\"sent\":[],\"disconnected\":[]";
        List<String> keys = new ArrayList<>();
        List<String> taken = new ArrayList<>();
        Field nioSelector = field(selector, "nioSelector");
        for (String name : ROUND) {
            Method part = method(processor.getClass(), name, 0);
            if (part == null)
                continue;
            Watched watched = null;
            try {
                if (name.equals("poll")) {
                    watched = new Watched((Selector) nioSelector.get(selector), fails);
                    nioSelector.set(selector, watched);
                }
                if (name.equals("processNewResponses")) {
                    taken.addAll(responses);
                    responses.clear();
                }
                part.invoke(processor);
            } catch (InvocationTargetException e) {
                error = e.getCause().getClass().getSimpleName();
                break;
            } finally {
                if (watched != null) {
                    nioSelector.set(selector, watched.real);
                    keys = watched.keys;
                    polled = polled();
                }
            }
        }
        // What the network thread has put into the queue is taken out, and kept in its order.
        for (Object request = receive(); request != null; request = receive())
            queue.add(request);
        List<String> muted = new ArrayList<>();
        List<String> states = new ArrayList<>();
        for (Object channel : (Collection<?>) call(selector, "channels")) {
            String id = call(channel, "id").toString();
            Method isMuted = method(channel.getClass(), "isMuted", 0);
            if ((Boolean) call(channel, isMuted == null ? "isMute" : "isMuted"))
                muted.add(id);
            if (automaton)
                states.add("\"" + id + "\":\"" + call(channel, "muteState") + "\"");
        }
        boolean hasPool = pool != null && ((Number) call(config, "queuedMaxBytes")).longValue() > 0;
        List<String> waiting = new ArrayList<>();
        for (Object request : queue)
            waiting.add(nameOf(request));
        return "{\"keys\":" + strings(keys) + "," + polled + ",\"queue\":" + list(waiting) + ",\"responses\":"
            + list(taken) + ",\"muted\":" + strings(muted) + ",\"automaton\":"
            + (automaton ? "{" + String.join(",", states) + "}" : "null") + ",\"memory\":"
            + (hasPool ? (Long) call(pool, "size") - (Long) call(pool, "availableMemory") : "null")
            + ",\"error\":\"" + error + "\"}";
    }

    private boolean hasStaged() {
        return findField(selector.getClass(), "stagedReceives") != null;
    }

    private String polled() throws Exception {
        List<String> staged = new ArrayList<>();
        if (hasStaged())
            for (Object waiting : ((Map<?, ?>) field(selector, "stagedReceives").get(selector)).values())
                for (Object receive : (Collection<?>) waiting)
                    staged.add(received(receive));
        List<String> completed = new ArrayList<>();
        for (Object receive : (Collection<?>) call(selector, "completedReceives"))
            completed.add(received(receive));
        List<String> sent = new ArrayList<>();
        for (Object send : (Collection<?>) call(selector, "completedSends"))
            sent.add(call(send, method(send.getClass(), "destinationId", 0) == null ? "destination" : "destinationId")
                .toString());
        Object disconnected = call(selector, "disconnected");
        Collection<?> ids = disconnected instanceof Map ? ((Map<?, ?>) disconnected).keySet()
            : (Collection<?>) disconnected;
        List<String> gone = new ArrayList<>();
        for (Object id : ids)
            gone.add(id.toString());
        return "\"staged\":" + (hasStaged() ? list(staged) : "null") + ",\"completed\":" + list(completed)
            + ",\"sent\":" + strings(sent) + ",\"disconnected\":" + strings(gone);
    }

    private String received(Object receive) throws Exception {
        ByteBuffer payload = (ByteBuffer) call(receive, "payload");
        return pair(call(receive, "source").toString(), payload.limit() >= 8 ? payload.getInt(4) : -1);
    }

    private Object receive() throws Exception {
        Method timed = null;
        for (Method method : requestChannel.getClass().getMethods())
            if (method.getName().equals("receiveRequest") && method.getParameterCount() == 1)
                timed = method;
        return timed.invoke(requestChannel, 0L);
    }

    private Object contextOf(Object request) throws Exception {
        return method(request.getClass(), "context", 0) == null ? null : call(request, "context");
    }

    private Object headerOf(Object request) throws Exception {
        Object context = contextOf(request);
        return context == null ? call(request, "header") : field(context, "header").get(context);
    }

    private String idOf(Object request) throws Exception {
        Object context = contextOf(request);
        return (context == null ? call(request, "connectionId") : field(context, "connectionId").get(context))
            .toString();
    }

    private int numberOf(Object request) throws Exception {
        // Old releases parse an ApiVersions request by the current schemas, and keep its header in both forms.
        return (Integer) call(headerOf(request), "correlationId");
    }

    private String nameOf(Object request) throws Exception {
        return pair(idOf(request), numberOf(request));
    }

    private int apiOf(Object request) throws Exception {
        if (contextOf(request) == null)
            return (Short) call(request, "requestId");
        Object key = call(headerOf(request), "apiKey");
        return key instanceof Short ? (Short) key : ((Number) field(key, "id").get(key)).intValue();
    }

    private void handle(String[] words) throws Exception {
        int count = Math.min(Integer.parseInt(words[1]), queue.size());
        for (int i = 0; i < count; i++) {
            Object request = queue.remove();
            if (!words[0].equals("throttle"))
                answer(request, words[0].equals("close"));
            else if (delays)
                delay(words[2], () -> answer(request, false));
            else {
                respond("throttle", request, "StartThrottlingResponse");
                answer(request, false);
                delay(words[2], () -> respond("end throttle", request, "EndThrottlingResponse"));
            }
        }
    }

    private void delay(String milliseconds, Action action) {
        delayed.add(new Delayed(nanos + Long.parseLong(milliseconds) * 1_000_000, action));
    }

    private void pass(long milliseconds) throws Exception {
        nanos += milliseconds * 1_000_000;
        for (Delayed each : new ArrayList<>(delayed))
            if (each.due <= nanos) {
                delayed.remove(each);
                each.action.run();
            }
    }

    private void answer(Object request, boolean closes) throws Exception {
        if (closes)
            respond("close", request, "CloseConnectionResponse");
        else if (apiOf(request) == 0)
            respond("none", request, "NoOpResponse");
        else
            respond("send", request, "SendResponse");
        if (method(request.getClass(), "releaseBuffer", 0) != null)
            call(request, "releaseBuffer");
    }

    private void respond(String word, Object request, String kind) throws Exception {
        responses.add("[\"" + word + "\"," + nameOf(request) + "]");
        ByteBuffer content = ByteBuffer.allocate(6);
        content.putInt(0, numberOf(request));
        Class<?> response = find("kafka.network.RequestChannel$" + kind);
        Class<?> sends = type(NETWORK + "NetworkSend");
        if (response == null) {
            // Before 1.1: one class of responses, with an action.
            Object action = value("kafka.network.RequestChannel$" + kind.replace("Response", "Action") + "$");
            Class<?> only = type("kafka.network.RequestChannel$Response");
            Object send = kind.equals("SendResponse")
                ? sends.getConstructors()[0].newInstance(idOf(request), single(sends, content)) : null;
            for (Constructor<?> constructor : only.getConstructors())
                if (constructor.getParameterCount() == 4 && constructor.getParameterTypes()[0] == int.class)
                    call(requestChannel, "sendResponse", constructor.newInstance(0, request, send, action));
                else if (constructor.getParameterCount() == 4)
                    // Without settings log4j logs requests, and 1.0 wants the text of each answer for that.
                    call(requestChannel, "sendResponse", constructor.newInstance(
                        request, option(send), action, option(send == null ? null : "")));
            return;
        }
        Object made;
        if (kind.equals("SendResponse")) {
            Object send = sends.getConstructors()[0].getParameterTypes()[1] == ByteBuffer.class
                ? sends.getConstructors()[0].newInstance(idOf(request), content)
                : prefixed(sends, request, content);
            made = response.getConstructors()[0].newInstance(request, send, option(null), option(null));
        } else {
            made = response.getConstructors()[0].newInstance(request);
        }
        for (Method method : requestChannel.getClass().getMethods())
            if (method.getName().equals("sendResponse") && method.getParameterCount() == 1)
                method.invoke(requestChannel, made);
    }

    private Object single(Class<?> sends, ByteBuffer content) {
        return sends.getConstructors()[0].getParameterTypes()[1].isArray() ? new ByteBuffer[] {content} : content;
    }

    /** Returns a send with its size before it: by id in 2.2, without since 2.7. */
    private Object prefixed(Class<?> sends, Object request, ByteBuffer content) throws Exception {
        if (sends.getConstructors()[0].getParameterTypes()[1].isArray())
            return sends.getConstructors()[0].newInstance(idOf(request), new ByteBuffer[] {content});
        return callStatic(type(NETWORK + "ByteBufferSend"), "sizePrefixed", content);
    }

    private Object option(Object value) throws Exception {
        return value == null ? value("scala.None$") : type("scala.Some").getConstructors()[0].newInstance(value);
    }

    // A list of numbers for the int parameters of a constructor, in their order.
    private List<Object> ints(int... numbers) {
        List<Object> found = new ArrayList<>();
        for (int number : numbers)
            found.add(number);
        return found;
    }

    private int intOf(String setting) throws Exception {
        return ((Number) call(config, setting)).intValue();
    }

    private void know(Class<?> type, Object value) {
        if (type != null)
            known.put(type, value);
    }

    /** Makes an object by its longest constructor, whose parameters are known by their types. */
    private Object make(Class<?> type, List<Object> ints) throws Exception {
        Constructor<?> longest = type.getConstructors()[0];
        for (Constructor<?> constructor : type.getConstructors())
            if (constructor.getParameterCount() > longest.getParameterCount())
                longest = constructor;
        Deque<Object> numbers = new ArrayDeque<>(ints);
        List<Object> arguments = new ArrayList<>();
        for (Class<?> parameter : longest.getParameterTypes())
            if (parameter == int.class)
                arguments.add(numbers.remove());
            else if (parameter == long.class)
                arguments.add(((Number) call(config, "connectionsMaxIdleMs")).longValue());
            else if (parameter == boolean.class)
                arguments.add(false);
            else
                arguments.add(known.get(parameter));
        return longest.newInstance(arguments.toArray());
    }

    private static String pair(String id, int number) {
        return "[\"" + id + "\"," + number + "]";
    }

    private static String list(List<String> parts) {
        return "[" + String.join(",", parts) + "]";
    }

    private static String strings(List<String> parts) {
        return parts.isEmpty() ? "[]" : "[\"" + String.join("\",\"", parts) + "\"]";
    }

    private static Class<?> type(String name) throws Exception {
        return Class.forName(name);
    }

    private static Class<?> find(String... names) {
        for (String name : names)
            try {
                return Class.forName(name);
            } catch (ClassNotFoundException e) {
                continue;
            }
        return null;
    }

    private static Object value(String name) throws Exception {
        return type(name).getField("MODULE$").get(null);
    }

    private static Object call(Object target, String name, Object... args) throws Exception {
        return invoke(target.getClass(), target, name, args);
    }

    private static Object callStatic(Class<?> type, String name, Object... args) throws Exception {
        return invoke(type, null, name, args);
    }

    private static Object invoke(Class<?> type, Object target, String name, Object[] args) throws Exception {
        Method method = method(type, name, args.length);
        if (method == null)
            throw new NoSuchMethodException(type + "." + name);
        return method.invoke(target, args);
    }

    /** Finds a method; Scala's compiler lengthens the names of private ones that closures use. */
    private static Method method(Class<?> type, String name, int count) {
        for (Class<?> each = type; each != null; each = each.getSuperclass())
            for (Method method : each.getDeclaredMethods())
                if (method.getParameterCount() == count && !method.isBridge()
                        && (method.getName().equals(name) || method.getName().endsWith("$$" + name)))
                    return open(method);
        for (Class<?> each : type.getInterfaces())
            if (method(each, name, count) != null)
                return method(each, name, count);
        return null;
    }

    private static Field field(Object target, String name) throws Exception {
        Field found = findField(target.getClass(), name);
        if (found == null)
            throw new NoSuchFieldException(target.getClass() + "." + name);
        return found;
    }

    private static Field findField(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass())
            for (Field field : each.getDeclaredFields())
                if (field.getName().equals(name) || field.getName().endsWith("$$" + name))
                    return open(field);
        return null;
    }

    private static <T extends AccessibleObject> T open(T member) {
        member.setAccessible(true);
        return member;
    }

    /** Stands for the real selector in a poll: its select never waits, notes what can be read, or fails. */
    private static class Watched extends Selector {
        private final Selector real;
        private final boolean fails;
        private final List<String> keys = new ArrayList<>();

        Watched(Selector real, boolean fails) {
            this.real = real;
            this.fails = fails;
        }

        @Override
        public boolean isOpen() {
            return real.isOpen();
        }

        @Override
        public SelectorProvider provider() {
            return real.provider();
        }

        @Override
        public Set<SelectionKey> keys() {
            return real.keys();
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return real.selectedKeys();
        }

        @Override
        public int selectNow() throws IOException {
            return select(0);
        }

        @Override
        public int select(long timeout) throws IOException {
            if (fails)
                throw new IOException("the script lets this select fail");
            int count = real.selectNow();
            try {
                for (SelectionKey key : real.selectedKeys())
                    if (key.isValid() && key.isReadable())
                        keys.add(call(key.attachment(), "id").toString());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return count;
        }

        @Override
        public int select() throws IOException {
            return select(0);
        }

        @Override
        public Selector wakeup() {
            real.wakeup();
            return this;
        }

        @Override
        public void close() throws IOException {
            real.close();
        }
    }
}
