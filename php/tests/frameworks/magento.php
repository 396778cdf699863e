<?php

// A stand-in for the parts of Magento that the module of docs/frameworks.md uses:
// registration.php is loaded with the application, events.xml names the class to call.

namespace Magento\Framework\Component {
    final class ComponentRegistrar
    {
        public const MODULE = 'module';
        public static array $folders = [];

        public static function register(string $type, string $name, string $folder): void
        {
            self::$folders["$type $name"] = $folder;
        }
    }
}

namespace Magento\Framework\Event {
    interface ObserverInterface
    {
        public function execute(Observer $observer);
    }

    final class Observer
    {
        public function __construct(private readonly Event $event)
        {
        }

        public function getEvent(): Event
        {
            return $this->event;
        }
    }

    /** Returns its data by name. */
    final class Event
    {
        public function __construct(private readonly array $data)
        {
        }

        public function __call(string $name, array $arguments): mixed
        {
            return $this->data[strtolower(substr($name, 3))] ?? null;
        }
    }
}

namespace {
    use Magento\Framework\Component\ComponentRegistrar;
    use Magento\Framework\Event\Event;
    use Magento\Framework\Event\Observer;
    use Magento\Framework\Event\ObserverInterface;

    final class Request
    {
        public function getFullActionName(): string
        {
            return 'catalog_product_view';
        }
    }

    require __DIR__ . '/app/code/Local/Xhprof/registration.php';
    $folder = ComponentRegistrar::$folders['module Local_Xhprof'];
    // check.php has checked that these are XML.
    str_contains(file_get_contents("$folder/etc/module.xml"), '<module name="Local_Xhprof"/>') or exit('module.xml is of another module');
    if (PHP_SAPI !== 'cli') {
        preg_match_all('/<event name="(\w+)">\s*<observer name="\w+" instance="([\w\\\\]+)"\/>/', file_get_contents("$folder/etc/events.xml"), $found, PREG_SET_ORDER);
        foreach ($found as [, $event, $class]) {
            $event === 'controller_action_predispatch' or exit('an event that is not known');
            require __DIR__ . '/app/code/' . strtr($class, '\\', '/') . '.php';
            $observer = new $class();
            $observer instanceof ObserverInterface or exit('no observer');
            $observer->execute(new Observer(new Event(['request' => new Request()])));
        }
    }
    echo 'body';
}
